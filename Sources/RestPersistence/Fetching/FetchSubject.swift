// SPDX-License-Identifier: Apache-2.0

/// A placeholder for an object in the closure of a predicate.
///
/// `$0.city == "Oslo"`, `$0.airport.city != nil`, `$0.airport == airport`,
/// `$0.terminals.count > 2`.
@dynamicMemberLookup
public struct FetchSubject<Object: ManagedEntity>: Sendable {
    let path: FetchPath

    /// The attribute at a key path.
    public subscript<Value: AttributeValue>(
        dynamicMember path: any KeyPath<Object, Value> & Sendable
    ) -> FetchAttribute<Value> {
        FetchAttribute(path: self.path.appending(Object.propertyName(path)))
    }

    /// The destination of the to-one relationship at a key path.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, Destination?> & Sendable
    ) -> FetchSubject<Destination> {
        FetchSubject<Destination>(path: self.path.appending(Object.propertyName(path)))
    }

    /// The destinations of the to-many relationship at a key path.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, Set<Destination>> & Sendable
    ) -> FetchCollection {
        FetchCollection(path: self.path.appending(Object.propertyName(path)))
    }

    /// Returns a predicate that matches if a relationship has a destination, or none for `nil`.
    public static func == (left: FetchSubject, right: Object?) -> FetchPredicate {
        FetchPredicate(term: .object(left.path, right?.objectID))
    }

    /// Returns a predicate that matches if a relationship has another destination.
    public static func != (left: FetchSubject, right: Object?) -> FetchPredicate {
        !(left == right)
    }

    /// Returns a predicate that matches if the destination of a relationship has an ID.
    public static func == (left: FetchSubject, right: ManagedObjectID) -> FetchPredicate {
        FetchPredicate(term: .object(left.path, right))
    }
}

extension ManagedEntity {
    /// Returns the name of a property, or a text for a key path that is not one of the entity.
    static func propertyName(_ path: any AnyKeyPath & Sendable) -> String {
        entity.paths[PropertyPath(path)] ?? "\(path), which is computed and not stored"
    }
}

/// A placeholder for the destinations of a to-many relationship in a predicate.
public struct FetchCollection: Sendable {
    let path: FetchPath

    /// The number of destinations.
    public var count: FetchAttribute<Int> {
        FetchAttribute(path: FetchPath(names: path.names, isCount: true))
    }
}

/// A placeholder for an attribute in a predicate.
public struct FetchAttribute<Value: AttributeValue>: Sendable {
    let path: FetchPath

    private func compare(_ kind: FetchOperator, _ value: Value) -> FetchPredicate {
        FetchPredicate(term: .compare(path, kind, value.storedValue))
    }

    /// Returns a predicate that matches if the attribute has one of several values.
    public func isIn(_ values: some Sequence<Value>) -> FetchPredicate {
        FetchPredicate(term: .isIn(path, Set(values.map(\.storedValue))))
    }

    /// Returns a predicate that matches equal values; null equals null.
    public static func == (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.equal, right)
    }

    /// Returns a predicate that matches different values, including null.
    public static func != (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.notEqual, right)
    }

    /// Returns a predicate that matches lesser values.
    public static func < (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.less, right)
    }

    /// Returns a predicate that matches lesser and equal values.
    public static func <= (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.lessOrEqual, right)
    }

    /// Returns a predicate that matches greater values.
    public static func > (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.greater, right)
    }

    /// Returns a predicate that matches greater and equal values.
    public static func >= (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.greaterOrEqual, right)
    }
}
