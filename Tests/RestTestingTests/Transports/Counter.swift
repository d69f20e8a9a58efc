// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counter that several tasks share, which returns the numbers from 0.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
