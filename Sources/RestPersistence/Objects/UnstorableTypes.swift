// SPDX-License-Identifier: Apache-2.0

// Generated code passes each property to `EntityProperty.property`, `ManagedObject.managedValue` and
// `setManagedValue`, `InitialValues.set` and `ManagedRow.value`. Only `managedValue` is unavailable for a
// type that is neither an attribute's nor a relationship's, so that the compiler reports one error for
// each such property, and its message replaces the compiler's list of rejected candidates. The other
// functions accept every type. A program cannot call them.

extension ManagedObject {
    /// Unavailable: the type of the property can be neither an attribute's nor a relationship's.
    @available(
        *, unavailable,
        message: """
            the type of this property cannot be stored; declare an enum ': AttributeValue', a Codable type \
            ': JSONAttributeValue', the class of a relationship '@Entity', or the property \
            '@MappedIgnored'
            """
    )
    public final func managedValue<Value>(_ index: Int) -> Value {
        fatalError("unavailable")
    }

    /// Has no effect: the property of the class has an unavailable accessor.
    public final func setManagedValue<Value>(_ index: Int, _ value: Value) {}
}

extension EntityProperty {
    /// Returns a property whose type cannot be stored, which the compiler reports at its accessor.
    public static func property<Value>(
        _ name: String, _ path: any KeyPath<Object, Value> & Sendable, sourceKey: String? = nil,
        isIdentity: Bool = false, isIndexed: Bool = false, isSearchable: Bool = false,
        maximumLength: Int? = nil, default value: Value? = nil,
        inverse: String? = nil, deleteRule: DeleteRule = .nullify,
        reference: ReferenceDescription? = nil, renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        preconditionFailure("\(Value.self) cannot be the type of the property \(name)")
    }
}

extension InitialValues {
    /// Has no effect: the property of the class has an unavailable accessor.
    public mutating func set<Value>(_ index: Int, _ value: Value) {}
}

extension ManagedRow {
    /// Traps: the property of the class has an unavailable accessor.
    public func value<Value>(_ index: Int) -> Value {
        preconditionFailure("\(Value.self) cannot be the type of a property")
    }
}
