// SPDX-License-Identifier: Apache-2.0

/// The ID of an object and some of its values, fetched without creating the object.
public struct FetchedValues: Sendable {
    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The stored values, by the path under which they were fetched.
    public let storedValues: [String: StoredValue]

    /// Returns a value.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownProperty` if the path was not fetched, or the
    ///   value is of another type, such as null for a type that is not optional.
    public func value<Value: AttributeValue>(
        _ path: String, as type: Value.Type = Value.self
    ) throws(PersistenceError) -> Value {
        guard let stored = storedValues[path], let value = Value(storedValue: stored) else {
            throw PersistenceError(
                .unknownProperty, entity: objectID.entityName, property: path,
                details: ["was not fetched as \(Value.self)"])
        }
        return value
    }
}

extension ManagedObjectContext {
    /// Fetches attributes of the objects of a request, without creating the objects.
    ///
    /// The paths are names of attributes, or dotted paths through to-one relationships.
    ///
    /// - Throws: An error of ``fetch(_:)``.
    public func fetchValues(
        _ request: FetchRequest, of paths: [String]
    ) throws(PersistenceError) -> [FetchedValues] {
        let expressions = paths.map { FetchExpression.attribute(FetchPath($0)) }
        let plan = try FetchPlan(request, reading: expressions, in: database)
        return try read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            var rows: [FetchedValues] = []
            while try statement.step() {
                var values: [String: StoredValue] = [:]
                for (index, path) in paths.enumerated() {
                    values[path] = statement.value(index + 2)
                }
                rows.append(
                    FetchedValues(
                        objectID: try layered.objectID(statement, plan), storedValues: values))
            }
            return rows
        }
    }

    /// Fetches attributes of objects of a class, without creating the objects.
    ///
    /// ```swift
    /// let rows = try context.fetchValues(
    ///     of: Airport.self, { ($0.code, $0.terminals.count, $0.city.name.optional) })
    /// ```
    ///
    /// The closure returns the attributes. One at the end of a relationship that may have no destination
    /// is ``FetchAttribute/optional``.
    ///
    /// - Throws: An error of ``fetch(_:)``, or one with code `unknownProperty` for a value that its
    ///   type cannot represent, such as null.
    public func fetchValues<Object: ManagedEntity, each Value: AttributeValue>(
        of type: Object.Type,
        _ attributes: (FetchSubject<Object>) -> (repeat FetchAttribute<each Value>),
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [(repeat each Value)] {
        let attributes = FetchSubject.evaluate(attributes)
        var expressions: [FetchExpression] = []
        for attribute in repeat each attributes { expressions.append(attribute.expression) }
        let request = FetchRequest(
            type, where: predicate, orderBy: orderings, limit: limit, offset: offset)
        let plan = try FetchPlan(request, reading: expressions, in: database)
        return try read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            var rows: [(repeat each Value)] = []
            while try statement.step() {
                var row = FetchedRowReader(
                    values: statement.values(from: 2, expressions.count),
                    entity: Object.entity.name)
                rows.append((repeat try row.next((each Value).self)))
            }
            return rows
        }
    }
}

/// The values of a fetched row, in order.
private struct FetchedRowReader {
    let values: [StoredValue]
    let entity: String
    private var position = 0

    init(values: [StoredValue], entity: String) {
        self.values = values
        self.entity = entity
    }

    mutating func next<Value: AttributeValue>(
        _ type: Value.Type
    ) throws(PersistenceError) -> Value {
        defer { position += 1 }
        if let value = Value(storedValue: values[position]) { return value }
        throw PersistenceError(
            .unknownProperty, entity: entity,
            details: ["value \(position + 1) is not of type \(Value.self)"])
    }
}
