// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A pattern of responses: status codes, and values in the body.
///
/// Mirrors and outboxes declare by patterns what the answers of a server mean. A pattern decides only whether a
/// response fits.
///
/// ```swift
/// ResponsePattern(409, where: ResponseCondition(at: "error.code", .isOne(of: ["duplicate"])))
/// ```
public struct ResponsePattern: Sendable, Hashable {
    /// The status codes; `nil` for all.
    public var statusCodes: StatusCodeSet?
    /// The conditions for values in the body, all of which must hold.
    public var conditions: [ResponseCondition]

    /// Creates a pattern.
    public init(
        _ statusCodes: StatusCodeSet? = nil, where conditions: ResponseCondition...
    ) {
        self.init(statusCodes, conditions: conditions)
    }

    /// Creates a pattern.
    public init(_ statusCodes: StatusCodeSet?, conditions: [ResponseCondition]) {
        self.statusCodes = statusCodes
        self.conditions = conditions
    }

    /// Returns a Boolean value that indicates whether a response fits.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - body: The body; `nil` if it is no document, which satisfies no condition.
    /// - Returns: `true` if it fits.
    /// - Complexity: O(*n*) in the number of conditions, besides the search of their paths.
    public func matches(status: Int, body: Document?) -> Bool {
        guard statusCodes?.contains(status) ?? true else { return false }
        if conditions.isEmpty { return true }
        guard let root = body?.root else { return false }
        return conditions.allSatisfy { $0.holds(for: root) }
    }
}

/// A condition for a value in a document.
public struct ResponseCondition: Sendable, Hashable {
    /// A comparison.
    public enum Comparison: Sendable, Hashable {
        /// The value exists and is not null.
        case exists
        /// The value is null or does not exist.
        case isMissing
        /// The value equals one of some values.
        case isOne(of: [Scalar])
        /// The value equals none of some values; a value that does not exist satisfies the condition.
        case isNone(of: [Scalar])
        /// The value is a text that contains another text, without regard to case.
        case contains(String)
    }

    /// A value to compare with.
    public enum Scalar: Sendable, Hashable {
        /// The value `null`.
        case null
        /// A Boolean value.
        case boolean(Bool)
        /// A number as JSON text, so that it stays exact.
        case number(String)
        /// Text.
        case text(String)

        /// Returns a Boolean value that indicates whether a value of a document is this one.
        package func equals(_ node: Node) -> Bool {
            switch self {
            case .null: node.isNull
            case .boolean(let value): node.bool == value
            case .number(let text):
                node.numberText == text || node.double.map { $0 == Double(text) } ?? false
            case .text(let text): node.string == text
            }
        }
    }

    /// The path of the value.
    public var path: DocumentPath
    /// The comparison.
    public var comparison: Comparison

    /// Creates a condition.
    public init(at path: DocumentPath, _ comparison: Comparison) {
        self.path = path
        self.comparison = comparison
    }

    /// Returns a Boolean value that indicates whether a document, or a part of one, satisfies the condition.
    public func holds(for node: Node) -> Bool {
        let value = node[path]
        switch comparison {
        case .exists: return value.map { !$0.isNull } ?? false
        case .isMissing: return value?.isNull ?? true
        case .isOne(let values):
            guard let value else { return false }
            return values.contains { $0.equals(value) }
        case .isNone(let values):
            guard let value else { return true }
            return !values.contains { $0.equals(value) }
        case .contains(let text):
            return value?.string.map { $0.lowercased().contains(text.lowercased()) } ?? false
        }
    }
}

extension ResponseCondition.Scalar: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    /// Creates a text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// Creates a number.
    public init(integerLiteral number: Int) { self = .number(String(number)) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
