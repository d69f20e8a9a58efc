// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// One attribute of an entity, one column of its table.
public struct AttributeDescription: Sendable {
    /// The attribute's name, also its column's.
    public var name: String
    /// What it holds.
    public var type: AttributeType
    /// Whether it may have no value.
    public var isOptional: Bool
    /// Whether it is part of what identifies an object; all such attributes together are unique.
    public var isIdentity: Bool
    /// The value of a new object.
    public var defaultValue: StoredValue
    /// The key in documents; the name if `nil`.
    public var sourceKey: String?

    /// How a document's value becomes the column's.
    let reading: AttributeReading

    /// Describes an attribute.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, isIdentity: Bool = false,
        default defaultValue: StoredValue = .null, sourceKey: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isIdentity = isIdentity
        self.defaultValue = defaultValue
        self.sourceKey = sourceKey
        reading = .plain(type, isOptional: isOptional)
    }

    init<Value: AttributeValue>(
        _ name: String, of type: Value.Type, isIdentity: Bool, default defaultValue: Value?,
        sourceKey: String?
    ) {
        self.name = name
        self.type = Value.attributeType
        isOptional = Value.isOptional
        self.isIdentity = isIdentity
        self.defaultValue = defaultValue?.storedValue ?? .null
        self.sourceKey = sourceKey
        reading = AttributeReading(Value.self)
    }
}
