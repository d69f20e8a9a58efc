// SPDX-License-Identifier: Apache-2.0

#if DEBUG
import Synchronization

/// A counter of the steps that reading numbers takes: bytes of text examined, and words of large
/// integers computed.
///
/// Tests count with it whether the work is proportional to the length of a number. It exists in debug
/// builds only.
package final class NumberWork: Sendable {
    /// The counter of the current task.
    @TaskLocal package static var current: NumberWork?

    private let total = Atomic(0)

    package init() {}

    /// The number of steps so far.
    package var steps: Int { total.load(ordering: .relaxed) }

    fileprivate func add(_ steps: Int) { total.add(steps, ordering: .relaxed) }
}
#endif

/// Counts steps in debug builds, and does nothing in others.
@inline(__always)
func countNumberWork(_ steps: @autoclosure () -> Int) {
    #if DEBUG
    NumberWork.current?.add(steps())
    #endif
}
