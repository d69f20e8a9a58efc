// SPDX-License-Identifier: Apache-2.0

/// A placeholder for an object in the closure of a predicate.
///
/// `$0.city.name == "Oslo"`, `$0.airport.city != nil`, `$0.airport == airport`,
/// `$0.terminals.count > 2`, `$0.terminals.any { $0.number > 10 }`, `$0.isOpen`.
@dynamicMemberLookup
public struct FetchSubject<Object: ManagedEntity>: Sendable {
    let path: FetchPath

    init(path: FetchPath) { self.path = path }

    /// The placeholder for the objects of a request.
    static var root: FetchSubject { FetchSubject(path: FetchPath(scope: 0, names: [])) }

    /// Returns the result of the outermost closure of a request.
    static func evaluate<Result>(_ body: (FetchSubject) -> Result) -> Result {
        FetchNesting.$current.withValue(FetchNesting()) { body(.root) }
    }

    /// The attribute at a key path.
    public subscript<Value: AttributeValue>(
        dynamicMember path: any KeyPath<Object, Value> & Sendable
    ) -> FetchAttribute<Value> {
        FetchAttribute(.attribute(self.path.appending(Object.propertyName(path))))
    }

    /// A predicate that matches if the Boolean attribute at a key path is true.
    ///
    /// `{ $0.isOpen && !$0.isPrivate }`; of an optional attribute, compare the value: `$0.isOpen == true`.
    public subscript(
        dynamicMember path: any KeyPath<Object, Bool> & Sendable
    ) -> FetchPredicate {
        let attribute: FetchAttribute<Bool> = self[dynamicMember: path]
        return attribute == true
    }

    /// The destination of the to-one relationship at a key path.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, Destination?> & Sendable
    ) -> FetchSubject<Destination> {
        FetchSubject<Destination>(path: self.path.appending(Object.propertyName(path)))
    }

    /// The destinations of the unordered to-many relationship at a key path.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, Set<Destination>> & Sendable
    ) -> ToManySubject<Destination> {
        ToManySubject(path: self.path.appending(Object.propertyName(path)))
    }

    /// The destinations of the ordered to-many relationship at a key path.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: any KeyPath<Object, [Destination]> & Sendable
    ) -> ToManySubject<Destination> {
        ToManySubject(path: self.path.appending(Object.propertyName(path)))
    }

    /// Returns a predicate that matches if the object has one of several IDs.
    public func isIn(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
        FetchPredicate(term: .object(path, Set(ids)))
    }

    /// Returns a predicate that matches objects of the entity of a class.
    ///
    /// Objects of sub-entities match as well, unless they are excluded.
    public func isKind<Other: ManagedEntity>(
        of type: Other.Type, includesSubentities: Bool = true
    ) -> FetchPredicate {
        FetchPredicate(term: .entity(path, Other.entity.name, isExact: !includesSubentities))
    }

    /// Returns a predicate that matches objects by the words of their searchable attributes.
    public func matches(_ predicate: SearchPredicate) -> FetchPredicate {
        FetchPredicate(term: .search(path, predicate))
    }

    /// Returns a predicate that matches one object, or for `nil` a relationship without destination.
    public static func == (left: FetchSubject, right: Object?) -> FetchPredicate {
        if let right { return left == right.objectID }
        return FetchPredicate(term: .not(.some(left.path, .constant(true))))
    }

    /// Returns a predicate that matches other objects, or for `nil` a relationship with a destination.
    public static func != (left: FetchSubject, right: Object?) -> FetchPredicate {
        !(left == right)
    }

    /// Returns a predicate that matches the object with an ID.
    public static func == (left: FetchSubject, right: ManagedObjectID) -> FetchPredicate {
        FetchPredicate(term: .object(left.path, [right]))
    }

    /// Returns a predicate that matches objects with another ID, or none.
    public static func != (left: FetchSubject, right: ManagedObjectID) -> FetchPredicate {
        !(left == right)
    }
}
