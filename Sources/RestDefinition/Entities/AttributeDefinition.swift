// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A definition of an attribute, which is a column.
public struct AttributeDefinition: Sendable, Equatable {
    /// The type of an attribute.
    public enum ValueType: String, Sendable, Hashable, CaseIterable {
        /// The type that all values fit, found in the records.
        case auto
        /// An integer of up to 64 bits.
        case integer
        /// An integer from 0 to 2⁶⁴ - 1.
        case unsignedInteger = "unsigned_integer"
        /// A floating-point number.
        case double
        /// A decimal number of any precision.
        case decimal
        /// Text.
        case text
        /// A Boolean value.
        case boolean
        /// A date with a time.
        case date
        /// A day without a time.
        case day
        /// A universally unique identifier.
        case uuid
        /// A URL.
        case url
        /// Binary data in Base64.
        case data
        /// Any JSON value.
        case json
    }

    /// The part of a value that is the attribute.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// The whole value.
        case value
        /// The last component of a URL or path that is not empty: 3 of `https://host/films/3/`.
        case lastPathComponent = "last_path_component"
    }

    /// The name of the attribute and of its column.
    public var name: String
    /// The type.
    public var type: ValueType
    /// The path in the record; `nil` for the key that equals the name.
    public var path: DocumentPath?
    /// The part of the value that is the attribute.
    public var form: Form
    /// A Boolean value that indicates whether the attribute may be null.
    public var isOptional: Bool
    /// A Boolean value that indicates whether the column has an index.
    public var isIndexed: Bool
    /// The names of the attribute in earlier versions of the definition, the latest first.
    public var formerNames: [String]

    /// Creates a definition of an attribute.
    public init(
        _ name: String, _ type: ValueType, path: DocumentPath? = nil, form: Form = .value,
        isOptional: Bool = true, isIndexed: Bool = false, formerNames: [String] = []
    ) {
        self.name = name
        self.type = type
        self.path = path
        self.form = form
        self.isOptional = isOptional
        self.isIndexed = isIndexed
        self.formerNames = formerNames
    }
}
