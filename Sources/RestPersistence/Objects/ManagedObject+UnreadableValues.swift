// SPDX-License-Identifier: Apache-2.0

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
