// SPDX-License-Identifier: Apache-2.0

/// A value of a file with its position, independent of the syntax of the file.
///
/// JSON and YAML files are read into such values. A value without positions can be written.
public struct SourceValue: Sendable, Equatable {
    /// A member of a mapping.
    public struct Member: Sendable, Equatable {
        /// The key.
        public var key: String
        /// The position of the key.
        public var location: SourceLocation?
        /// The value.
        public var value: SourceValue

        /// Creates a member.
        public init(_ key: String, _ value: SourceValue, at location: SourceLocation? = nil) {
            self.key = key
            self.value = value
            self.location = location
        }
    }

    /// The content of a value.
    public enum Content: Sendable, Equatable {
        /// A scalar.
        case scalar(ScalarValue)
        /// A sequence of values.
        case sequence([SourceValue])
        /// The members of a mapping in the order of the file; keys may repeat.
        case mapping([Member])
    }

    /// The content.
    public var content: Content
    /// The position; `nil` for a value that was not read from a file.
    public var location: SourceLocation?

    /// Creates a value.
    public init(_ content: Content, at location: SourceLocation? = nil) {
        self.content = content
        self.location = location
    }

    /// Returns a text.
    static func text(_ text: String) -> SourceValue { SourceValue(.scalar(.text(text))) }

    /// Returns an integer.
    static func integer(_ value: some BinaryInteger) -> SourceValue {
        SourceValue(.scalar(.number(String(value))))
    }

    /// The text of a scalar other than null; `nil` for any other value.
    ///
    /// Texts that look like numbers need no quotes.
    var scalarText: String? {
        switch content {
        case .scalar(.null), .sequence, .mapping: nil
        case .scalar(let value): value.description
        }
    }

    /// The members of a mapping; `nil` for any other value.
    var members: [Member]? {
        if case .mapping(let members) = content { members } else { nil }
    }

    /// The value of a key, the first one if the mapping repeats it.
    subscript(key: String) -> SourceValue? { members?.first { $0.key == key }?.value }

    /// A description of the kind of the value for messages.
    var kind: String {
        switch content {
        case .scalar(.null): "nothing"
        case .scalar(.boolean): "true or false"
        case .scalar(.number): "a number"
        case .scalar(.text): "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}
