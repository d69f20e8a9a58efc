// SPDX-License-Identifier: Apache-2.0

package import RestMapping

/// A description of an attribute, which is a column of the entity's table.
public struct AttributeDescription: Sendable {
    /// The name of the attribute and of its column.
    public var name: String
    /// The type of the attribute.
    public var type: AttributeType
    /// A Boolean value that indicates whether the attribute may be null.
    public var isOptional: Bool
    /// A Boolean value that indicates whether the attribute identifies objects.
    ///
    /// The combination of all such attributes of an entity is unique.
    public var isIdentity: Bool
    /// A Boolean value that indicates whether the column has an index.
    ///
    /// Identification attributes have one anyway.
    public var isIndexed: Bool
    /// A Boolean value that indicates whether the words of the attribute are in the full-text index.
    ///
    /// Texts, numbers and JSON values can be searchable.
    public var isSearchable = false
    /// The names of the attribute in earlier models, the latest first.
    ///
    /// A migration finds the values of the attribute by these names if the file has no property with
    /// its current name.
    public var formerNames: [String] = []
    /// The maximum number of characters of a text; `nil` for no limit.
    ///
    /// Characters are Unicode scalars, as SQLite's `length` counts them. A longer text is an error of
    /// saving.
    public var maximumLength: Int?
    /// The value of new objects.
    public var defaultValue: StoredValue
    /// The key in representations; `nil` for the name of the attribute.
    public var sourceKey: String?
    /// The part of the value in a representation that is the value of the attribute.
    public let form: ReferenceDescription.Form
    /// The policy and the transform of the property of a class.
    package var conversion = PropertyConversion.none

    /// The Swift type of the values: that of the class's property, or of the column for an entity
    /// without a class; `nil` for JSON without a class.
    public let valueType: (any AttributeValue.Type)?
    /// The conversion from the value of a representation to that of the column.
    let reading: AttributeReading
    /// The check of stored values; `nil` if all values of the column can be read.
    let check: StoredValueCheck?

    /// Creates a description of an attribute.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, isIdentity: Bool = false,
        isIndexed: Bool = false, maximumLength: Int? = nil,
        default defaultValue: StoredValue = .null, sourceKey: String? = nil,
        isSearchable: Bool = false, form: ReferenceDescription.Form = .value,
        renamedFrom formerNames: [String] = []
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isIdentity = isIdentity
        self.isIndexed = isIndexed
        self.maximumLength = maximumLength
        self.defaultValue = defaultValue
        self.sourceKey = sourceKey
        self.isSearchable = isSearchable
        self.formerNames = formerNames
        self.form = form
        let valueType = type.kind.storage.valueType
        self.valueType = isOptional ? valueType?.optionalType : valueType
        reading =
            form == .value
            ? .plain(type, isOptional: isOptional)
            : .part(form, of: name, type, isOptional: isOptional) { type.accepts($0) }
        check = StoredValueCheck(type.kind)
    }

    package init<Value: AttributeValue>(
        _ name: String, of type: Value.Type, isIdentity: Bool, isIndexed: Bool = false,
        maximumLength: Int? = nil, default defaultValue: Value?, sourceKey: String?,
        form: ReferenceDescription.Form = .value
    ) {
        self.name = name
        self.type = Value.attributeType
        isOptional = Value.isOptional
        self.isIdentity = isIdentity
        self.isIndexed = isIndexed
        self.maximumLength = maximumLength
        self.defaultValue = defaultValue?.storedValue ?? .null
        self.sourceKey = sourceKey
        self.form = form
        valueType = Value.self
        reading =
            form == .value
            ? AttributeReading(Value.self)
            : .part(form, of: name, Value.attributeType, isOptional: Value.isOptional) {
                Value(storedValue: $0) != nil
            }
        check = StoredValueCheck(Value.self)
    }
}
