// SPDX-License-Identifier: Apache-2.0

import RestTesting

/// A step of a schedule, whose numbers choose among what there is when it runs.
///
/// A step without anything to choose does nothing, so that a schedule stays one when steps are left out.
struct ScheduleStep: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case deliver, handle, refuse, lose, cancel
        case list, ticket, project, accounts, walk
        case edit, save, rollback, patch, post, delete
        case deleteLocally, writeByOther, changeServer
        case changeUser, evict, reset, resetByOther

        /// The weight of the step in the choice.
        var weight: Int {
            switch self {
            case .deliver: 26
            case .handle, .changeServer: 10
            case .list, .edit: 9
            case .ticket, .project, .patch, .save: 6
            case .walk: 8
            case .post, .writeByOther: 4
            case .accounts, .delete, .lose, .refuse, .cancel: 3
            case .deleteLocally, .rollback, .changeUser, .evict: 2
            case .reset, .resetByOther: 1
            }
        }
    }

    let kind: Kind
    let first: Int
    let second: Int
    let third: Int

    var description: String { "\(kind.rawValue) \(first) \(second) \(third)" }

    /// Returns the schedule of a seed.
    static func schedule(_ seed: UInt64, count: Int) -> [ScheduleStep] {
        var random = SplitMix64(seed: seed)
        let kinds = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
        return (0..<count).map { _ in
            ScheduleStep(
                kind: kinds[random.next(below: kinds.count)], first: random.next(below: 1000),
                second: random.next(below: 1000), third: random.next(below: 1000))
        }
    }
}

extension [ScheduleStep] {
    /// Returns a schedule that still fails, from which no step can be left out.
    ///
    /// - Parameter fails: A closure that runs a schedule.
    /// - Returns: The schedule.
    func shrunk(by fails: ([ScheduleStep]) async -> Bool) async -> [ScheduleStep] {
        var steps = self
        var size = steps.count / 2
        while size > 0 {
            var start = 0
            var isSmaller = false
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<Swift.min(start + size, steps.count))
                if await fails(fewer) {
                    steps = fewer
                    isSmaller = true
                } else {
                    start += size
                }
            }
            if size > 1 || !isSmaller { size /= 2 }
        }
        return steps
    }
}

extension Array {
    /// Returns the element that a number chooses; `nil` if there is none.
    func chosen(by number: Int) -> Element? { isEmpty ? nil : self[number % count] }
}
