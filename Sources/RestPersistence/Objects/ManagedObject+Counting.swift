// SPDX-License-Identifier: Apache-2.0

extension ManagedEntity {
    /// Adds an amount to a number, so that no save loses what others have counted.
    ///
    /// Saving adds what this context has counted to the stored number, whatever the
    /// ``ManagedObjectContext/mergePolicy`` is. Assigning the attribute instead, as by `+= 1`, is in
    /// conflict with a number that another context has saved, unless both are equal. After an assignment that
    /// is not saved, an increment is part of it.
    ///
    /// ```swift
    /// airport.increment(\.passengers)
    /// airport.increment(\.passengers, by: 40)
    /// ```
    ///
    /// A request sends the sum of this context.
    ///
    /// - Parameters:
    ///   - path: The key path of an attribute; another one is a programming error and traps, as does a sum
    ///     that the type cannot represent.
    ///   - amount: The amount, which can be negative.
    public func increment<Value: AttributeValue & SignedNumeric>(
        _ path: any KeyPath<Self, Value> & Sendable, by amount: Value = 1
    ) {
        guard let name = Self.entity.paths[PropertyPath(path)],
            case .attribute(let column) = layout.propertyIndices[name]
        else { preconditionFailure("\(Self.propertyName(path)) is no attribute of \(layout.name)") }
        setStored((self[keyPath: path] + amount).storedValue, at: column, isCounting: true)
    }
}

extension ManagedObject {
    /// Adds an amount to a number by name, for entities without a class.
    ///
    /// See ``ManagedEntity/increment(_:by:)``.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownProperty` if there is no such attribute or it has
    ///   another type, `unreadableValue` if the type cannot represent the stored value, such as null.
    public final func incrementValue<Value: AttributeValue & SignedNumeric>(
        _ name: String, by amount: Value
    ) throws(PersistenceError) {
        let column = try column(name, of: Value.attributeType)
        let sum = try value(name, as: Value.self) + amount
        setStored(sum.storedValue, at: column, isCounting: true)
    }
}
