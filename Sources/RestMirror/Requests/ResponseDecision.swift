// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDefinition
import RestDocument
import RestNetworking
import RestTransport

/// The effect of a response on a walk.
enum ResponseDecision: Sendable, Equatable {
    /// The response has records.
    case records
    /// The stored page has not changed.
    case unmodified
    /// The response has no records, and the list ends.
    case ignore
    /// The request is sent again after a growing delay.
    case retry
    /// The request is sent again when the server allows it.
    case wait
    /// The credentials are refreshed, and the request is sent again.
    case refresh
    /// The list is read from its beginning.
    case restart
    /// The resource fails.
    case fail

    /// Decides about a response.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - body: The body as a document; `nil` if it is none.
    ///   - rules: The rules of the definition, the first of which that applies decides.
    ///   - isConditional: A Boolean value that indicates whether the request had a condition.
    ///   - hasParents: A Boolean value that indicates whether the list belongs to parents.
    ///   - hasInterval: A Boolean value that indicates whether the request was for the changes since a
    ///     position.
    init(
        _ head: HTTPResponse, body: Document?, rules: [ResponseRule], isConditional: Bool,
        hasParents: Bool, hasInterval: Bool
    ) {
        let code = head.status.code
        if let rule = rules.first(where: { $0.applies(to: code, body) }) {
            self =
                switch rule.action {
                case .succeed: .records
                case .ignore: .ignore
                case .retry: .retry
                case .wait: .wait
                case .fail: .fail
                case .refresh: .refresh
                case .restart: .restart
                }
            return
        }
        switch code {
        case 204: self = .ignore
        case 200..<300: self = .records
        // Without a condition it says nothing about any stored page.
        case 304: self = isConditional ? .unmodified : .retry
        case 401: self = .refresh
        // The position is older than the changes that the server keeps.
        case 410 where hasInterval: self = .restart
        // The parent was deleted after it was read.
        case 404 where hasParents, 410 where hasParents: self = .ignore
        case 429: self = .wait
        case 403 where Self.isLimit(head): self = .wait
        case 408, 425, 500, 502, 503, 504: self = .retry
        default: self = .fail
        }
    }

    /// Returns a Boolean value that indicates whether a refusal is that of a rate limit.
    private static func isLimit(_ head: HTTPResponse) -> Bool {
        let fields = head.headerFields
        return fields[.retryAfter] != nil
            || HTTPField.Name("X-RateLimit-Remaining").flatMap { fields[$0] } == "0"
    }
}

extension ResponseRule {
    fileprivate func applies(to code: Int, _ body: Document?) -> Bool {
        let pattern = ResponsePattern(
            statusCodes.isEmpty ? nil : StatusCodeSet(statusCodes),
            conditions: conditions.map(ResponseCondition.init))
        return pattern.matches(status: code, body: body)
    }
}

extension ResponseCondition {
    /// Creates the condition of a definition.
    fileprivate init(_ condition: Condition) {
        func scalars(_ values: [ScalarValue]) -> [Scalar] { values.map(\.scalar) }
        let comparison: Comparison =
            switch condition.comparison {
            case .exists: .exists
            case .isMissing: .isMissing
            case .isOne(let values): .isOne(of: scalars(values))
            case .isNone(let values): .isNone(of: scalars(values))
            case .contains(let text): .contains(text)
            }
        self.init(at: condition.path, comparison)
    }
}

extension Condition {
    /// Returns a Boolean value that indicates whether a record or a body satisfies the condition.
    func holds(for node: Node) -> Bool { ResponseCondition(self).holds(for: node) }
}

extension ScalarValue {
    fileprivate var scalar: ResponseCondition.Scalar {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let text): .number(text)
        case .text(let text): .text(text)
        }
    }

    /// Returns a Boolean value that indicates whether a value of a document is this one.
    func equals(_ node: Node) -> Bool { scalar.equals(node) }

    /// Creates the value of a node; `nil` for a container.
    init?(_ node: Node) {
        switch node.kind {
        case .null: self = .null
        case .boolean: self = .boolean(node.bool ?? false)
        case .number: self = .number(node.numberText ?? "0")
        case .string: self = .text(node.string ?? "")
        case .array, .object: return nil
        }
    }
}
