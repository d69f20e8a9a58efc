// SPDX-License-Identifier: Apache-2.0

/// What a predicate's closure is written about: an object that only knows its properties' names.
///
/// `$0.city == "Oslo"`, `$0.airport.city != nil`, `$0.airport == airport`,
/// `$0.terminals.count > 2`.
@dynamicMemberLookup
public struct FetchSubject<Object: ManagedEntity>: Sendable {
    let path: FetchPath

    /// An attribute.
    public subscript<Value: AttributeValue>(
        dynamicMember path: any KeyPath<Object, Value> & Sendable
    ) -> FetchAttribute<Value> {
        FetchAttribute(path: self.path.appending(Object.propertyName(path)))
    }

    /// The object a to-one relationship leads to.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, Destination?> & Sendable
    ) -> FetchSubject<Destination> {
        FetchSubject<Destination>(path: self.path.appending(Object.propertyName(path)))
    }

    /// The objects a to-many relationship leads to.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, Set<Destination>> & Sendable
    ) -> FetchCollection {
        FetchCollection(path: self.path.appending(Object.propertyName(path)))
    }

    /// Whether the relationship leads to that object; to none if `nil`.
    public static func == (left: FetchSubject, right: Object?) -> FetchPredicate {
        FetchPredicate(term: .object(left.path, right?.objectID))
    }

    /// Whether the relationship does not lead to that object.
    public static func != (left: FetchSubject, right: Object?) -> FetchPredicate {
        !(left == right)
    }

    /// Whether the relationship leads to the object with an ID.
    public static func == (left: FetchSubject, right: ManagedObjectID) -> FetchPredicate {
        FetchPredicate(term: .object(left.path, right))
    }
}

extension ManagedEntity {
    /// A property's name; the key path's text, which no property has, if it is none of the entity's.
    static func propertyName(_ path: any AnyKeyPath & Sendable) -> String {
        entity.paths[PropertyPath(path)] ?? String(describing: path)
    }
}

/// The objects of a to-many relationship in a predicate.
public struct FetchCollection: Sendable {
    let path: FetchPath

    /// How many there are.
    public var count: FetchAttribute<Int> {
        FetchAttribute(path: FetchPath(names: path.names, isCount: true))
    }
}

/// An attribute in a predicate.
public struct FetchAttribute<Value: AttributeValue>: Sendable {
    let path: FetchPath

    private func compare(_ kind: FetchOperator, _ value: Value) -> FetchPredicate {
        FetchPredicate(term: .compare(path, kind, value.storedValue))
    }

    /// Whether the attribute has one of some values.
    public func isIn(_ values: some Sequence<Value>) -> FetchPredicate {
        FetchPredicate(term: .among(path, Set(values.map(\.storedValue))))
    }

    /// The same value, or both none.
    public static func == (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.equal, right)
    }

    /// Another value, or one has none.
    public static func != (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.notEqual, right)
    }

    /// A value before.
    public static func < (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.less, right)
    }

    /// A value before or the same.
    public static func <= (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.lessOrEqual, right)
    }

    /// A value after.
    public static func > (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.greater, right)
    }

    /// A value after or the same.
    public static func >= (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.greaterOrEqual, right)
    }
}
