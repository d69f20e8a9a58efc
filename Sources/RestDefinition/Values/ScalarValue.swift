// SPDX-License-Identifier: Apache-2.0

/// A scalar of a definition.
public enum ScalarValue: Sendable, Hashable, CustomStringConvertible {
    /// The value `null`.
    case null
    /// A Boolean value.
    case boolean(Bool)
    /// A number as JSON text, so that it stays exact.
    case number(String)
    /// Text.
    case text(String)

    /// The value as text.
    public var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): String(value)
        case .number(let text), .text(let text): text
        }
    }
}

/// A JSON value whose texts are templates.
public indirect enum TemplateValue: Sendable, Equatable {
    /// The value `null`.
    case null
    /// A Boolean value.
    case boolean(Bool)
    /// A number as JSON text.
    case number(String)
    /// A text with placeholders.
    case text(Template)
    /// An array.
    case array([TemplateValue])
    /// An object in the order of the file.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Equatable {
        /// The key.
        public var key: String
        /// The value.
        public var value: TemplateValue

        /// Creates a member.
        public init(_ key: String, _ value: TemplateValue) {
            self.key = key
            self.value = value
        }
    }
}
