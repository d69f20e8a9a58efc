// SPDX-License-Identifier: Apache-2.0

/// One row as an object of a context.
///
/// A context has at most one instance for a row, so objects compare by identity. An object belongs
/// to its context's isolation region and cannot leave it: pass on its ``objectID``. Unsaved values
/// are kept by the context, also when the object itself is given up.
///
/// `@Entity` turns the properties of a subclass into calls of `managedValue(_:)` and
/// `setManagedValue(_:_:)`; the property's type tells attributes from relationships.
open class ManagedObject: Hashable {
    /// What identifies the object everywhere.
    public final let objectID: ManagedObjectID
    /// The context the object belongs to.
    public final var managedObjectContext: ManagedObjectContext { context }

    final let context: ManagedObjectContext
    final var isDeleted = false
    final var values: [StoredValue] = []
    final var isLoaded = false

    /// Makes an object for a context; contexts call it.
    public required init(_ binding: ManagedObjectBinding) {
        objectID = binding.id
        context = binding.context
    }

    deinit { context.identityMap.forget(objectID.key) }

    final var layout: EntityLayout { objectID.layout }

    /// What the context's next save will do with the object.
    public final var objectState: ManagedObjectState {
        if isDeleted { return .deleted }
        return switch context.changes.state(of: self) {
        case .inserted: .inserted
        case .updated: .updated
        case .deleted, .dropped: .deleted
        case nil: .saved
        }
    }

    // MARK: Attributes

    /// The attribute at a property's index.
    ///
    /// Reading a required attribute that was never set, or one whose column holds no such value, is
    /// a programmer error and traps.
    @inlinable
    public final func managedValue<Value: AttributeValue>(_ index: Int) -> Value {
        guard let value = Value(storedValue: storedValue(index)) else { missing(index) }
        return value
    }

    /// Sets the attribute at a property's index; setting the value it has changes nothing.
    @inlinable
    public final func setManagedValue<Value: AttributeValue>(_ index: Int, _ value: Value) {
        setStoredValue(index, value.storedValue)
    }

    /// The value of the attribute of that name, for entities without a class.
    ///
    /// - Throws: ``PersistenceError`` if there is no such attribute or it holds another type.
    public final func value<Value: AttributeValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(PersistenceError) -> Value {
        let column = try column(name, of: Value.attributeType)
        if !isLoaded { load() }
        guard let value = Value(storedValue: values[column]) else {
            throw PersistenceError(
                .unknownProperty, entity: layout.name, property: name,
                details: ["holds no \(Value.self)"])
        }
        return value
    }

    /// Sets the attribute of that name, for entities without a class.
    ///
    /// - Throws: ``PersistenceError`` if there is no such attribute or it holds another type.
    public final func setValue(
        _ value: some AttributeValue, _ name: String
    ) throws(PersistenceError) {
        let column = try column(name, of: type(of: value).attributeType)
        setStored(value.storedValue, at: column)
    }

    private func column(
        _ name: String, of type: AttributeType
    ) throws(PersistenceError) -> Int {
        guard case .attribute(let column) = layout.propertyIndices[name],
            layout.columns[column].type == type
        else { throw PersistenceError(.unknownProperty, entity: layout.name, property: name) }
        return column
    }

    @usableFromInline
    final func storedValue(_ index: Int) -> StoredValue {
        if !isLoaded { load() }
        return values[attributeColumn(index)]
    }

    @usableFromInline
    final func setStoredValue(_ index: Int, _ value: StoredValue) {
        setStored(value, at: attributeColumn(index))
    }

    private func attributeColumn(_ index: Int) -> Int {
        guard case .attribute(let column) = layout.properties[index] else {
            preconditionFailure("property \(index) of \(layout.name) is no attribute")
        }
        return column
    }

    /// Sets a column; equal values are no change.
    final func setStored(_ value: StoredValue, at column: Int) {
        precondition(!isDeleted, "\(objectID) was deleted and cannot be changed")
        if !isLoaded { load() }
        guard values[column] != value else { return }
        values[column] = value
        context.changes.set(value, column, of: objectID.key, in: layout)
    }

    final func load() {
        values = context.loadedValues(of: self)
        isLoaded = true
    }

    @usableFromInline
    final func missing(_ index: Int) -> Never {
        preconditionFailure(
            "\(layout.name).\(layout.columns[attributeColumn(index)].name) has no value of its type: "
                + "a required attribute can be read once it is set")
    }

    /// Whether two references are the same object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Feeds the object's identity to a hasher.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@available(*, unavailable, message: "an object belongs to its context; pass on its objectID")
extension ManagedObject: Sendable {}

/// What the next save will do with an object.
public enum ManagedObjectState: Sendable, Hashable {
    /// Nothing: the object is as its row.
    case saved
    /// Make its row.
    case inserted
    /// Write its changed values.
    case updated
    /// Remove its row, or it is removed already.
    case deleted
}

/// What ties an object to its context; only contexts make it.
public struct ManagedObjectBinding {
    let id: ManagedObjectID
    let context: ManagedObjectContext
}

@available(*, unavailable)
extension ManagedObjectBinding: Sendable {}
