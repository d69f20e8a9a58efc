// SPDX-License-Identifier: Apache-2.0

/// An object that represents a row in a context.
///
/// A context has at most one object for a row, so objects are compared by reference. An object
/// belongs to the isolation region of its context and cannot leave it. Pass its ``objectID`` instead.
/// The context keeps unsaved values even after the object is released.
///
/// `@Entity` implements the properties of a subclass by `managedValue(_:)` and
/// `setManagedValue(_:_:)`. The type of a property distinguishes attributes from relationships.
open class ManagedObject: Hashable {
    /// The ID of the object, which is valid in all contexts of the store.
    public final let objectID: ManagedObjectID
    /// The context of the object.
    public final var managedObjectContext: ManagedObjectContext { context }

    final let context: ManagedObjectContext
    final var isDeleted = false
    final var values: [StoredValue] = []
    final var isLoaded = false

    /// Creates an object; only contexts call this initializer.
    public required init(_ binding: ManagedObjectBinding) {
        objectID = binding.id
        context = binding.context
    }

    deinit { context.identityMap.removeReleased(objectID.key) }

    final var layout: EntityLayout { objectID.layout }

    /// The state of the object relative to its row.
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

    /// Returns the attribute at a property index.
    ///
    /// Reading a required attribute that is null, or one whose stored value the type cannot
    /// represent, is a programming error and traps.
    @inlinable
    public final func managedValue<Value: AttributeValue>(_ index: Int) -> Value {
        guard let value = Value(storedValue: storedValue(index)) else { missing(index) }
        return value
    }

    /// Sets the attribute at a property index; setting an equal value is not a change.
    @inlinable
    public final func setManagedValue<Value: AttributeValue>(_ index: Int, _ value: Value) {
        setStoredValue(index, value.storedValue)
    }

    /// Returns the value of an attribute by name, for entities without a class.
    ///
    /// - Throws: ``PersistenceError`` if there is no such attribute or it has another type.
    public final func value<Value: AttributeValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(PersistenceError) -> Value {
        let column = try column(name, of: Value.attributeType)
        if !isLoaded { load() }
        guard let value = Value(storedValue: values[column]) else {
            throw PersistenceError(
                .unknownProperty, entity: layout.name, property: name,
                details: ["is not of type \(Value.self)"])
        }
        return value
    }

    /// Sets the value of an attribute by name, for entities without a class.
    ///
    /// - Throws: ``PersistenceError`` if there is no such attribute or it has another type.
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
            preconditionFailure("property \(index) of \(layout.name) is not an attribute")
        }
        return column
    }

    /// Sets a column; setting an equal value is not a change.
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

    /// Returns a Boolean value that indicates whether two references are identical.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Hashes the object's reference.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@available(*, unavailable, message: "an object belongs to its context; pass its objectID instead")
extension ManagedObject: Sendable {}

/// The state of an object relative to its row.
public enum ManagedObjectState: Sendable, Hashable {
    /// The object has no unsaved changes.
    case saved
    /// The object is new; saving inserts its row.
    case inserted
    /// The object has unsaved changes; saving updates its row.
    case updated
    /// The object is deleted; saving deletes its row, unless that has been done.
    case deleted
}

/// The ID and the context of a new object; only contexts create it.
public struct ManagedObjectBinding {
    let id: ManagedObjectID
    let context: ManagedObjectContext
}

@available(*, unavailable)
extension ManagedObjectBinding: Sendable {}
