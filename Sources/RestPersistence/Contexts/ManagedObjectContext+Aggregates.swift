// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectContext {
    /// Returns the least value of an attribute; `nil` if all are null or there is no object.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownProperty`, `invalidPredicate` or
    ///   `unreadableValue`, or an error of the database.
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
    /// The sum of integers with fewer bits than `Int` is an `Int`, that of `Float` a `Double`.
    ///
    /// - Throws: An error of ``minimum(_:where:)``, or one with code `databaseFailure` if the sum of
    ///   integers exceeds 64 bits.
    public func sum<Object: ManagedEntity, Value: NumericAttributeValue>(
        _ path: any KeyPath<Object, Value> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Value.Sum {
        do throws(PersistenceError) {
            return try aggregate("sum", path, predicate) ?? .zero
        } catch {
            guard error.code == .databaseFailure, Value.Sum.attributeType == .integer else {
                throw error
            }
            var error = error
            (error.entity, error.property) = (Object.entity.name, Object.propertyName(path))
            error.details.append(
                "the sum of the integers may exceed 64 bits; fetch the values and add them in a wider "
                    + "type")
            throw error
        }
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
        let plan = try FetchPlan(
            FetchRequest(Object.self, where: predicate), reading: [attribute(path)], in: database)
        return try read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            var sum: Decimal = 0
            while try statement.step() {
                sum += try value(statement.value(2), path) ?? 0
            }
            return sum
        }
    }

    /// Returns the mean of an attribute without null; `nil` if there is none.
    ///
    /// - Throws: An error of ``minimum(_:where:)``.
    public func average<Object: ManagedEntity, Value: NumericAttributeValue>(
        _ path: any KeyPath<Object, Value> & Sendable,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Double? {
        try aggregate("avg", path, predicate)
    }

    private func attribute<Object: ManagedEntity>(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable
    ) -> FetchExpression {
        .attribute(FetchSubject<Object>.root.path.appending(Object.propertyName(path)))
    }

    private func aggregate<Object: ManagedEntity, Value: AttributeValue, Result: AttributeValue>(
        _ function: String, _ path: any KeyPath<Object, Value> & Sendable,
        _ predicate: (FetchSubject<Object>) -> FetchPredicate
    ) throws(PersistenceError) -> Result? {
        let plan = try FetchPlan(
            FetchRequest(Object.self, where: predicate), reading: [attribute(path)], in: database)
        let query = { (compiler: inout FetchCompiler) in
            compiler.aggregate(function, isPartial: function != "avg")
        }
        return try read(plan, query) { statement throws(PersistenceError) in
            try statement.step() ? try value(statement.value(0), path) : nil
        }
    }

    /// Returns a value that was calculated from an attribute; `nil` for null.
    private func value<Object: ManagedEntity, Result: AttributeValue>(
        _ stored: StoredValue, _ path: any KeyPath<Object, some AttributeValue> & Sendable
    ) throws(PersistenceError) -> Result? {
        if stored.isNull { return nil }
        if let value = Result(storedValue: stored) { return value }
        throw PersistenceError(
            .unreadableValue, entity: Object.entity.name, property: Object.propertyName(path),
            details: ["the \(stored.kind) is no value of \(Result.self)"])
    }
}
