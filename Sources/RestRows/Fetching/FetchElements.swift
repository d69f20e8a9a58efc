// SPDX-License-Identifier: Apache-2.0

/// A type of attributes that are stored as JSON arrays: arrays, sets, and optional ones.
public protocol ElementsAttributeValue: AttributeValue {
    /// The type of the elements.
    associatedtype StoredElement: AttributeValue
}

extension Array: ElementsAttributeValue where Element: AttributeValue {
    /// The type of the elements.
    public typealias StoredElement = Element
}

extension Set: ElementsAttributeValue where Element: AttributeValue {
    /// The type of the elements.
    public typealias StoredElement = Element
}

extension Optional: ElementsAttributeValue where Wrapped: ElementsAttributeValue {
    /// The type of the elements.
    public typealias StoredElement = Wrapped.StoredElement
}

extension FetchAttribute where Value: ElementsAttributeValue {
    /// The number of elements; null for null.
    public var count: FetchAttribute<Int> { FetchAttribute<Int>(.elementCount(expression)) }

    /// A predicate that matches arrays without elements; null is none.
    public var isEmpty: FetchPredicate { count == 0 }

    /// Returns a predicate that matches if a value is an element.
    public func contains(_ element: Value.StoredElement) -> FetchPredicate {
        any { $0 == element }
    }

    /// Returns a predicate that matches if a predicate matches at least one element.
    ///
    /// `$0.tags.any { $0.hasPrefix("a") }`. Every array is read; an index is not used.
    public func any(
        _ predicate: (FetchAttribute<Value.StoredElement>) -> FetchPredicate
    ) -> FetchPredicate {
        var nesting = FetchNesting.current
        nesting.elements += 1
        let inner = FetchNesting.$current.withValue(nesting) {
            predicate(FetchAttribute<Value.StoredElement>(.element(nesting.elements))).term
        }
        return FetchPredicate(
            term: .elements(expression, Value.StoredElement.attributeType, inner))
    }

    /// Returns a predicate that matches if a predicate matches every element, or there is none.
    public func all(
        _ predicate: (FetchAttribute<Value.StoredElement>) -> FetchPredicate
    ) -> FetchPredicate {
        !any { !predicate($0) }
    }

    /// Returns a predicate that matches if a predicate matches no element.
    public func none(
        _ predicate: (FetchAttribute<Value.StoredElement>) -> FetchPredicate
    ) -> FetchPredicate {
        !any(predicate)
    }
}

extension FetchAttribute {
    /// Returns the member of a JSON attribute at a dotted path.
    ///
    /// `$0.address.member("street.name") == "Karl Johans gate"`. The member is null if it does not exist or
    /// has another type. It can be text, a number, a Boolean value or an array of them. The form of other
    /// values depends on their encoding, so that they are an error with code `invalidPredicate`.
    ///
    /// - Parameters:
    ///   - path: The keys as they are encoded.
    ///   - type: The type of the member.
    /// - Returns: The member.
    public func member<Member: AttributeValue>(
        _ path: String, as type: Member.Type = Member.self
    ) -> FetchAttribute<Member> {
        let member = JSONMember(
            keys: FetchPath(path).names, type: Member.attributeType, hasColumnForm: false)
        return FetchAttribute<Member>(.member(expression, member))
    }

    /// The value of a dictionary for a key; null if there is none.
    public subscript<Member: AttributeValue>(key: String) -> FetchAttribute<Member?>
    where Value == [String: Member] { entry(key) }

    /// The value of an optional dictionary for a key; null if there is none.
    public subscript<Member: AttributeValue>(key: String) -> FetchAttribute<Member?>
    where Value == [String: Member]? { entry(key) }

    private func entry<Member: AttributeValue>(_ key: String) -> FetchAttribute<Member?> {
        let member = JSONMember(keys: [key], type: Member.attributeType, hasColumnForm: true)
        return FetchAttribute<Member?>(.member(expression, member))
    }
}

extension FetchPredicate {
    /// Returns a predicate that matches if a value is an element of the array at a dotted path.
    public static func contains(_ element: some AttributeValue, in path: String) -> FetchPredicate {
        let number = FetchNesting.current.elements + 1
        let comparison = Term.compare(.element(number), .equal, .value(element.storedValue))
        return FetchPredicate(
            term: .elements(.attribute(FetchPath(path)), Self.type(of: element), comparison))
    }

    /// Returns a predicate that compares a member of the JSON attribute at a dotted path with a value.
    ///
    /// See ``FetchAttribute/member(_:as:)``.
    public static func member(
        _ member: String, of path: String, _ comparison: FetchOperator, _ value: some AttributeValue
    ) -> FetchPredicate {
        let member = JSONMember(
            keys: FetchPath(member).names, type: Self.type(of: value), hasColumnForm: false)
        return FetchPredicate(
            term: .compare(
                .member(.attribute(FetchPath(path)), member), comparison,
                .value(value.storedValue)))
    }

    private static func type<Value: AttributeValue>(of value: Value) -> AttributeType {
        Value.attributeType
    }
}
