// SPDX-License-Identifier: Apache-2.0

/// A rule for responses: the effect of a status code, of a value in the body, or of both.
public struct ResponseRule: Sendable, Equatable {
    /// The effect of a response.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The response contains records, whatever its status code is.
        case succeed
        /// The response contains no records, and the walk continues as after an empty last page.
        case ignore
        /// The request is sent again after a growing delay.
        case retry
        /// The request is sent again when the budget allows it, as after 429.
        case wait
        /// The resource fails; other resources continue.
        case fail
        /// The credentials are refreshed once, and the request is sent again.
        case refresh
        /// The walk of the list starts again at its first page.
        case restart
    }

    /// The status codes of the rule; empty for all.
    public var statusCodes: [ClosedRange<Int>]
    /// The conditions for values in the body, all of which must hold.
    public var conditions: [Condition]
    /// The effect of the response.
    public var action: Action

    /// Creates a rule.
    public init(
        statusCodes: [ClosedRange<Int>] = [], conditions: [Condition] = [], action: Action
    ) {
        self.statusCodes = statusCodes
        self.conditions = conditions
        self.action = action
    }
}
