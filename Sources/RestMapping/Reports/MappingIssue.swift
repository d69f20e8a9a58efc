// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A problem in the data of a document, found while mapping it.
///
/// The policy of the mapping decides whether it becomes an error.
public struct MappingIssue: Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code as a word, free of dynamic data.
        public let rawValue: String

        /// Creates a code; those of the library are static members.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A required property has no value.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The value is null and the property is not optional.
        public static let nullValue = Code(rawValue: "nullValue")
        /// The value is of a kind that cannot be converted to the property's type.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The number does not fit the property's type without loss.
        public static let outOfRange = Code(rawValue: "outOfRange")
        /// The text is not in the form that the type needs, such as a date.
        public static let malformedValue = Code(rawValue: "malformedValue")
        /// A declared transform failed.
        public static let transformFailed = Code(rawValue: "transformFailed")
        /// Related objects are nested deeper than the limit.
        public static let depthExceeded = Code(rawValue: "depthExceeded")
        /// Relationships lead to the same values too often; the run ends under every policy.
        public static let passesExceeded = Code(rawValue: "passesExceeded")
        /// An object's identity is null or absent, so it cannot be found again.
        public static let missingIdentity = Code(rawValue: "missingIdentity")
        /// Several objects have the identity; the oldest is updated.
        public static let ambiguousIdentity = Code(rawValue: "ambiguousIdentity")
        /// An object of another entity has the identity.
        public static let conflictingEntity = Code(rawValue: "conflictingEntity")
        /// A reference has the identity of an object that does not exist, and is skipped.
        public static let missingDestination = Code(rawValue: "missingDestination")
        /// None of the keys that an object is mapped from is present.
        public static let unmappable = Code(rawValue: "unmappable")
        /// A validation threw.
        public static let validationFailed = Code(rawValue: "validationFailed")
        /// An object that should have one key, its name, has several; only the first counts.
        public static let severalKeys = Code(rawValue: "severalKeys")
        /// A dynamic mapping chose nothing.
        public static let undetermined = Code(rawValue: "undetermined")
        /// The object to fill is of another type than the chosen one.
        public static let wrongSubject = Code(rawValue: "wrongSubject")
        /// The mapping chosen for this representation is invalid.
        public static let invalidMapping = Code(rawValue: "invalidMapping")

        /// The code as a word.
        public var description: String { rawValue }
    }

    /// The path of the value in the document, such as `articles[3].author.id`.
    public let path: DocumentPath
    /// The name of the mapping.
    public let mapping: String
    /// The property of the value; `nil` if the problem is the object itself.
    public let property: String?
    /// The kind of problem.
    public let code: Code
    /// A description of a valid value.
    public let expected: String
    /// The kind of the value that was found; never the value itself.
    public let found: String

    /// Creates an issue from its parts.
    public init(
        path: DocumentPath, mapping: String, property: String?, code: Code, expected: String,
        found: String
    ) {
        self.path = path
        self.mapping = mapping
        self.property = property
        self.code = code
        self.expected = expected
        self.found = found
    }

    /// One line with the code, path, property, expectation and finding.
    public var description: String { "\(code) at \(problem)" }

    /// The path, property, expectation and finding.
    var problem: String {
        let location = path.components.isEmpty ? "the document" : path.abbreviated
        let target = property.map { "\(mapping).\($0)" } ?? mapping
        return "\(location): \(target) expected \(expected), found \(found)"
    }
}
