// SPDX-License-Identifier: Apache-2.0

import Foundation

// Stored values that the type of an attribute cannot represent. Other programs can write them, and so
// can an earlier version of a program whose enumeration had other cases. Well-formed values are not
// checked: the functions here run after the conversion of a value has failed.

extension PersistenceError {
    /// Creates the error of a stored value that a type cannot represent.
    package init(
        unreadable stored: StoredValue, _ property: String, _ id: ManagedObjectID,
        as type: Any.Type
    ) {
        self.init(
            .unreadableValue, entity: id.entityName, property: property,
            details: ["the \(stored.kind) of \(id).\(property) is no value of \(type)"])
    }
}

extension StoredValue {
    /// The name of the storage class.
    package var kind: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .double: "number"
        case .text: "text"
        case .data: "data"
        }
    }
}

extension AttributeValue {
    /// Returns null if the type can represent it, otherwise the default value of an attribute, or else
    /// zero, an empty value or the first case; `nil` if the type has none of them.
    package static func substitute(_ defaultValue: StoredValue) -> Self? {
        for stored in [.null, defaultValue] + attributeType.kind.storage.emptyValues {
            if let value = Self(storedValue: stored) { return value }
        }
        guard let type = Self.self as? any CaseIterable.Type else { return nil }
        return type.firstCase as? Self
    }
}

extension CaseIterable {
    fileprivate static var firstCase: Any? { allCases.first }
}
