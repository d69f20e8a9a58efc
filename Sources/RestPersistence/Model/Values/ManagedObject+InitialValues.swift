// SPDX-License-Identifier: Apache-2.0

// The functions that the generated `insert(into:…)` calls. A relationship that is given no
// destination is not touched, as that of a new object has none.

extension ManagedObject {
    /// Sets an attribute of a new object at a property index.
    public final func setInitialValue<Value: AttributeValue>(_ index: Int, _ value: Value) {
        setManagedValue(index, value)
    }

    /// Sets the destination of a to-one relationship of a new object at a property index.
    public final func setInitialValue<Destination: ManagedEntity>(
        _ index: Int, _ destination: Destination?
    ) {
        if destination != nil { setManagedValue(index, destination) }
    }

    /// Sets the destinations of a to-many relationship of a new object at a property index.
    public final func setInitialValue<Destination: ManagedEntity>(
        _ index: Int, _ destinations: Set<Destination>
    ) {
        if !destinations.isEmpty { setManagedValue(index, destinations) }
    }

    /// Sets the destinations of an ordered to-many relationship of a new object at a property index.
    public final func setInitialValue<Destination: ManagedEntity>(
        _ index: Int, _ destinations: [Destination]
    ) {
        if !destinations.isEmpty { setManagedValue(index, destinations) }
    }
}
