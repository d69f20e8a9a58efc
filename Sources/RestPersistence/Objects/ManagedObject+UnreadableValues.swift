// SPDX-License-Identifier: Apache-2.0

import Foundation

// Stored values that the type of an attribute cannot represent. Other programs can write them, and so
// can an earlier version of a program whose enumeration had other cases. Well-formed values are not
// checked: the functions here run after the conversion of a value has failed.

/// An attribute of an object whose stored value could not be read.
struct UnreadableAttribute: Hashable {
    let key: Int64
    let column: Int
}

extension ManagedObject {
    /// Returns the value that an attribute has in place of an unreadable one, and records the error.
    ///
    /// It is `nil` for an optional attribute, otherwise the default value of the attribute, or zero or
    /// an empty value. The stored value stays as it is.
    @usableFromInline
    final func substitute<Value: AttributeValue>(_ index: Int) -> Value {
        let column = attributeColumn(index)
        let name = layout.columns[column].name
        let isUnset =
            values[column].isNull && context.state(of: objectID.key, layout.table.index) != nil
        if isUnset {
            fatalError(
                "\(objectID).\(name) has no value: a required attribute can be read once it is set")
        }
        let error = PersistenceError(unreadable: values[column], name, objectID, as: Value.self)
        guard let value = Value.substitute(layout.defaults[column]) else {
            fatalError("\(error), and the attribute has no default value that can be read instead")
        }
        // The save reports a value that was set and cannot be stored.
        if !layout.columns[column].type.isUnstorable(values[column]) {
            context.record(error, UnreadableAttribute(key: objectID.key, column: column))
        }
        return value
    }
}

extension ManagedObjectContext {
    /// Records an error for the next fetch or save, once for each attribute of an object.
    fileprivate func record(_ error: PersistenceError, _ attribute: UnreadableAttribute) {
        guard unreadableAttributes.insert(attribute).inserted else { return }
        unreadableError = unreadableError ?? error
    }

    /// Throws the error of reading that fetches and saves report.
    ///
    /// That of an attribute is thrown once, so that one bad row does not disable the context.
    func throwReadingErrors() throws(PersistenceError) {
        try throwFailure()
        if let error = unreadableError {
            unreadableError = nil
            throw error
        }
    }
}

extension PersistenceError {
    /// Creates the error of a stored value that a type cannot represent.
    init(
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
    var kind: String {
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
    static func substitute(_ defaultValue: StoredValue) -> Self? {
        for stored in [.null, defaultValue] + attributeType.kind.emptyValues {
            if let value = Self(storedValue: stored) { return value }
        }
        guard let type = Self.self as? any CaseIterable.Type else { return nil }
        return type.firstCase as? Self
    }
}

extension CaseIterable {
    fileprivate static var firstCase: Any? { allCases.first }
}

extension AttributeType.Kind {
    /// The stored values of zero and of empty values.
    fileprivate var emptyValues: [StoredValue] {
        switch self {
        case .integer, .boolean: [.integer(0)]
        case .double: [.double(0)]
        case .unsignedInteger, .decimal: [.text("0")]
        case .text: [.text("")]
        case .date: [.text("1970-01-01T00:00:00.000000Z")]
        case .day: [.text("1970-01-01")]
        case .uuid: [.text("00000000-0000-0000-0000-000000000000")]
        case .url: [.text("about:blank")]
        case .data: [.data(.init())]
        case .json: ["[]", "{}", "\"\"", "0", "false", "null"].map { .text($0) }
        }
    }
}
