// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectContext {
    /// Returns the least value of an attribute; `nil` if all are null or there is no object.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownProperty` or
    ///   `invalidPredicate`, or an error of the database.
    public func minimum<Object: ManagedEntity, Value: AttributeValue>(
        _ path: any KeyPath<Object, Value> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Value? {
        try aggregate("min", path, predicate)
    }

    /// Returns the greatest value of an attribute; `nil` if all are null or there is no object.
    ///
    /// - Throws: An error of ``minimum(_:where:)``.
    public func maximum<Object: ManagedEntity, Value: AttributeValue>(
        _ path: any KeyPath<Object, Value> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Value? {
        try aggregate("max", path, predicate)
    }

    /// Returns the sum of an attribute without null; zero if there is none.
    ///
    /// - Throws: An error of ``minimum(_:where:)``, or one with code `databaseFailure` if the sum of
    ///   integers exceeds 64 bits.
    public func sum<Object: ManagedEntity, Value: NumericAttributeValue>(
        _ path: any KeyPath<Object, Value> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Value where Value: Numeric {
        do throws(PersistenceError) {
            return try aggregate("sum", path, predicate) ?? .zero
        } catch {
            guard error.code == .databaseFailure, Value.attributeType == .integer else {
                throw error
            }
            var error = error
            error.details.append("the sum of integers may exceed 64 bits")
            throw error
        }
    }

    /// Returns the sum of an optional attribute without null; zero if there is none.
    ///
    /// - Throws: An error of ``sum(_:where:)-(KeyPath<Object,Value>Sendable,_)``.
    public func sum<Object: ManagedEntity, Value: NumericAttributeValue & Numeric>(
        _ path: any KeyPath<Object, Value?> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Value {
        try aggregate("sum", attribute(path), predicate) ?? .zero
    }

    /// Returns the exact sum of a decimal attribute.
    ///
    /// SQLite has no decimals: the values are read and added, without creating the objects.
    ///
    /// - Throws: An error of ``minimum(_:where:)``.
    public func sum<Object: ManagedEntity>(
        _ path: any KeyPath<Object, Decimal> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Decimal {
        try decimals(attribute(path), predicate).reduce(0, +)
    }

    /// Returns the mean of an attribute without null; `nil` if there is none.
    ///
    /// - Throws: An error of ``minimum(_:where:)``.
    public func average<Object: ManagedEntity, Value: NumericAttributeValue>(
        _ path: any KeyPath<Object, Value> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Double? {
        try aggregate("avg", attribute(path), predicate)
    }

    private func attribute<Object: ManagedEntity>(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable
    ) -> FetchExpression {
        .attribute(FetchSubject<Object>.root.path.appending(Object.propertyName(path)))
    }

    private func aggregate<Object: ManagedEntity, Value: AttributeValue>(
        _ function: String, _ path: any KeyPath<Object, Value> & Sendable,
        _ predicate: (FetchSubject<Object>) -> FetchPredicate
    ) throws(PersistenceError) -> Value? {
        try aggregate(function, attribute(path), predicate)
    }

    private func aggregate<Object: ManagedEntity, Value: AttributeValue>(
        _ function: String, _ expression: FetchExpression,
        _ predicate: (FetchSubject<Object>) -> FetchPredicate
    ) throws(PersistenceError) -> Value? {
        let plan = try FetchPlan(
            FetchRequest(Object.self, where: predicate), reading: [expression], in: model)
        let query = { (compiler: inout FetchCompiler) in
            compiler.aggregate(function, isPartial: function != "avg")
        }
        return try read(plan, query) { statement throws(PersistenceError) in
            guard try statement.step() else { return nil }
            let stored = statement.value(0)
            return stored.isNull ? nil : Value(storedValue: stored)
        }
    }

    private func decimals<Object: ManagedEntity>(
        _ expression: FetchExpression, _ predicate: (FetchSubject<Object>) -> FetchPredicate
    ) throws(PersistenceError) -> [Decimal] {
        let plan = try FetchPlan(
            FetchRequest(Object.self, where: predicate), reading: [expression], in: model)
        return try read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            var values: [Decimal] = []
            while try statement.step() {
                if let value = Decimal(storedValue: statement.value(2)) { values.append(value) }
            }
            return values
        }
    }
}
