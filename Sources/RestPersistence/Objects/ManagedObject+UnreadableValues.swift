// SPDX-License-Identifier: Apache-2.0

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
            values[column].isNull
            && context.layered.layers.state(of: objectID.key, layout.table.index) != nil
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
            context.errors.note(
                error, of: UnreadableAttribute(key: objectID.key, column: column))
        }
        return value
    }
}
