// SPDX-License-Identifier: Apache-2.0

public import Observation

/// An object that represents a row in a context.
///
/// A context has at most one object for a row, so objects are compared by reference. An object
/// belongs to the isolation region of its context and cannot leave it. Pass its ``objectID`` instead.
/// The context keeps unsaved values even after the object is released.
///
/// If another context deletes the row, the object keeps its last values and its ``objectState`` is
/// ``ManagedObjectState/deleted``. Setting a property of a deleted object has no effect, and is an
/// error of the next save that names it.
///
/// Objects of the main context can be observed by property, as with `withObservationTracking` or
/// in SwiftUI. Objects of other contexts cannot.
///
/// `@Entity` implements the properties of a subclass by `managedValue(_:)` and
/// `setManagedValue(_:_:)`. The type of a property distinguishes attributes from relationships.
open class ManagedObject: Hashable, Identifiable, Observable {
    /// The ID of the object, which is valid in all contexts of the store.
    public final private(set) var objectID: ManagedObjectID
    /// The context of the object.
    public final var managedObjectContext: ManagedObjectContext { context }

    final let context: ManagedObjectContext
    /// A Boolean value that indicates whether this context or another one has deleted the row.
    final private(set) var isDeleted = false
    /// A Boolean value that indicates whether the context has been reset since the object was created.
    final private(set) var isDetached = false
    /// A Boolean value that indicates whether ``values`` are up to date.
    final private(set) var isLoaded = false
    /// A Boolean value that indicates whether ``values`` are default values, because the row was deleted
    /// before it was read, or could not be read.
    final private(set) var hasSubstitutes = false
    /// The values of the row with unsaved changes, or the last ones.
    final private(set) var values = RowValues([])
    /// The rows that were read with this one.
    final var batch: FaultBatch?
    /// The observers of the object; `nil` until a property is read, and in contexts without them.
    final var registrar: ObservationRegistrar?

    /// Creates an object; only contexts call this initializer.
    public required init(_ binding: ManagedObjectBinding) {
        objectID = binding.id
        context = binding.context
    }

    final var layout: EntityLayout { objectID.layout }

    /// The state of the object relative to its row.
    public final var objectState: ManagedObjectState {
        noteRead(of: Self.stateSlot)
        if isDetached { return .detached }
        if isDeleted { return .deleted }
        return switch context.layered.layers.ownState(of: objectID.key, layout.table.index) {
        case .inserted: .inserted
        case .updated: .updated
        case .deleted, .dropped: .deleted
        case nil: .saved
        }
    }

    // MARK: Attributes

    /// Returns the attribute at a property index.
    ///
    /// An attribute whose stored value the type cannot represent, such as text that is no date, reads as
    /// `nil`, as its default value, or as zero or an empty value. The next fetch or save of the context
    /// throws an error with code ``PersistenceError/Code/unreadableValue``. Reading a required attribute
    /// of a new object before it is set is a programming error and traps.
    @inlinable
    public final func managedValue<Value: AttributeValue>(_ index: Int) -> Value {
        guard let value = Value(storedValue: storedValue(index)) else {
            return substitute(index)
        }
        return value
    }

    /// Sets the attribute at a property index; setting an equal value is not a change.
    @inlinable
    public final func setManagedValue<Value: AttributeValue>(_ index: Int, _ value: Value) {
        setStoredValue(index, value.storedValue)
    }

    /// Returns the value of an attribute by name, for entities without a class.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownProperty` if there is no such attribute or it has
    ///   another type, `unreadableValue` if the type cannot represent the stored value, such as null.
    public final func value<Value: AttributeValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(PersistenceError) -> Value {
        let column = try column(name, of: Value.attributeType)
        if !isLoaded { load() }
        noteRead(of: Self.slot(ofColumn: column))
        guard let value = Value(storedValue: values[column]) else {
            throw PersistenceError(unreadable: values[column], name, objectID, as: Value.self)
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

    final func column(
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
        let column = attributeColumn(index)
        if context.isObserved { noteRead(of: Self.slot(ofColumn: column)) }
        return values[column]
    }

    @usableFromInline
    final func setStoredValue(_ index: Int, _ value: StoredValue) {
        setStored(value, at: attributeColumn(index))
    }

    final func attributeColumn(_ index: Int) -> Int { layout.attributeColumn(index) }

    // MARK: Values

    /// Sets a column; setting an equal value is not a change.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - column: The column.
    ///   - isCounting: A Boolean value that indicates whether the difference to the value before is what
    ///     counts.
    final func setStored(_ value: StoredValue, at column: Int, isCounting: Bool = false) {
        if !isLoaded { load() }
        let layout = layout
        if isDeleted || isDetached, !isChangeable(layout.columns[column].name) { return }
        let base = values[column]
        let (key, table) = (objectID.key, layout.table.index)
        if layout.columns[column].type.isUnstorable(value) {
            context.layered.layers.hasUnstorableValues = true
        }
        if base == value { return }
        if !context.layered.layers.rowsChangedBelow.isEmpty {
            context.confirmEdit(of: key, column, layout)
        }
        var isSetBack = false
        context.update(table, key) {
            $0.set(
                value, column, of: key, entity: layout.index,
                base: base, isCounting: isCounting)
            isSetBack = $0.isSetBack(key, column)
        }
        if isSetBack { context.endEditSetBack(of: key, column, layout) }
        values[column] = value
        if context.isObserved { noteChange(ofColumn: column, from: base, to: value) }
    }

    /// Returns whether a property may be set; if not, the next save reports it.
    final func isChangeable(_ property: String) -> Bool {
        guard isDeleted || isDetached else { return true }
        context.errors.deferred.append(
            ValidationError(
                .deletedObjectChanged, objectID, property,
                isDetached
                    ? "was set after its context was reset" : "was set after it was deleted"))
        return false
    }

    final func load() { context.load(self) }

    /// Takes the values of a row.
    final func take(_ row: RowValues) {
        isLoaded = true
        hasSubstitutes = false
        guard context.isObserved, registrar != nil, values.count == row.count else {
            values = row
            return
        }
        let old = values
        values = row
        for column in row.indices {
            noteChange(ofColumn: column, from: old[column], to: row[column])
        }
    }

    /// Takes default values if the row has never been read and cannot be.
    final func takeDefaultsIfNeeded() {
        guard values.isEmpty else { return }
        values = RowValues(layout.defaults)
        hasSubstitutes = true
    }

    /// Takes the value of a column.
    final func take(_ value: StoredValue, _ column: Int) {
        let old = values[column]
        values[column] = value
        noteChange(ofColumn: column, from: old, to: value)
    }

    /// Reads the row again at the next access, because columns may have changed.
    final func invalidate(_ mask: ColumnMask? = nil) {
        guard !isDeleted, !isDetached else { return }
        isLoaded = false
        noteInvalidation(mask)
    }

    /// Binds the object to another row.
    final func replaceKey(by key: Int64) {
        objectID = objectID.replacing(key: key)
        batch = nil
    }

    /// Marks the object as deleted; it keeps its values.
    final func markDeleted() {
        guard !isDeleted else { return }
        isDeleted = true
        isLoaded = true
        takeDefaultsIfNeeded()
        noteChange(of: Self.stateSlot)
    }

    /// Marks a deleted object as existing.
    final func markExisting() {
        guard isDeleted else { return }
        isDeleted = false
        invalidate()
        noteChange(of: Self.stateSlot)
    }

    /// Separates the object from its row.
    final func detach() {
        isDetached = true
        isLoaded = true
        takeDefaultsIfNeeded()
        batch = nil
        noteChange(of: Self.stateSlot)
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
    /// The object is deleted, by its context or by another one.
    case deleted
    /// The context has been reset since the object was created.
    case detached
}

/// The ID and the context of a new object; only contexts create it.
public struct ManagedObjectBinding {
    let id: ManagedObjectID
    let context: ManagedObjectContext
}

@available(*, unavailable)
extension ManagedObjectBinding: Sendable {}
