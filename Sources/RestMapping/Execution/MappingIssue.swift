// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// One problem met while mapping: data first, an error only if the policy says so.
public struct MappingIssue: Sendable, Hashable, CustomStringConvertible {
    /// What kind of problem.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code's word, free of dynamic data.
        public let rawValue: String

        /// Makes a code; the library's own are static members.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A required property got no value.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The value is null and the property has no place for it.
        public static let nullValue = Code(rawValue: "nullValue")
        /// The value is of a kind that cannot become the property's type.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The number does not fit the property's type without loss.
        public static let outOfRange = Code(rawValue: "outOfRange")
        /// The text does not say what the type needs, such as a date.
        public static let malformedValue = Code(rawValue: "malformedValue")
        /// A declared transform refused the value.
        public static let transformFailed = Code(rawValue: "transformFailed")
        /// Related objects are nested deeper than the limit.
        public static let depthExceeded = Code(rawValue: "depthExceeded")
        /// Relationships lead to the same values too often; the run ends, whatever the policy.
        public static let passesExceeded = Code(rawValue: "passesExceeded")
        /// An object's identity is null or absent, so it cannot be found again.
        public static let missingIdentity = Code(rawValue: "missingIdentity")

        /// None of the keys that an object is mapped from is there.
        public static let unmappable = Code(rawValue: "unmappable")
        /// A validation threw.
        public static let validationFailed = Code(rawValue: "validationFailed")
        /// An object that should have one key, its name, has several; only the first counts.
        public static let severalKeys = Code(rawValue: "severalKeys")
        /// A dynamic mapping chose nothing.
        public static let undetermined = Code(rawValue: "undetermined")
        /// The object given to be filled is of another type than was chosen.
        public static let wrongSubject = Code(rawValue: "wrongSubject")
        /// A mapping chosen for this representation is wrong.
        public static let invalidMapping = Code(rawValue: "invalidMapping")

        /// The word itself.
        public var description: String { rawValue }
    }

    /// Where in the document, such as `articles[3].author.id`.
    public let path: DocumentPath
    /// Name of the mapping that was running.
    public let mapping: String
    /// The property the value was for; nil when the problem is the object itself.
    public let property: String?
    /// What is wrong.
    public let code: Code
    /// What the value should have been.
    public let expected: String
    /// The kind of value found; never the value itself.
    public let found: String

    /// Makes an issue from its parts.
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

    /// One line: place, code, property, expectation and finding.
    public var description: String {
        let place = path.components.isEmpty ? "the document" : path.abbreviated
        let target = property.map { "\(mapping).\($0)" } ?? mapping
        return "\(code) at \(place): \(target) expected \(expected), found \(found)"
    }
}
