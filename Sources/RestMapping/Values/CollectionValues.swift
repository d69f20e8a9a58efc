// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Array: MappableValue where Element: MappableValue {
    /// Converts each element; null becomes an empty list, and a single value a list with one element.
    ///
    /// A null element is an issue and left out, unless the elements are optional.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> [Element] {
        guard source.view.kind == .array else { return try single(from: source) }
        let list = source.view.tapeNode
        var result: [Element] = []
        result.reserveCapacity(list.count)
        var index = source.view.index &+ 1
        while index < list.contentEnd {
            let element = source.at(index)
            do throws(MappingFailure) {
                result.append(try Element.map(from: element))
            } catch {
                if let inside = indexInside(element, after: error) {
                    index = inside
                    continue
                }
                try PolicyEvaluator(element).applyElementPolicy(
                    to: error, isObject: Element.relation != nil)
            }
            index = element.view.nextIndex
        }
        return result
    }

    /// Returns the index of the first value inside an element that is a list where a mapped object
    /// is expected, because such lists are flattened; nil for other elements.
    @usableFromInline
    static func indexInside(_ element: ValueSource, after failure: MappingFailure) -> Int? {
        guard element.view.kind == .array, failure.progress == .unrecorded,
            Element.relation?.isToMany == false
        else { return nil }
        var index = element.view.index &+ 1
        // A type that decodes itself may accept a list, so each nested list has to be tried.
        if element.objectIndex < 0 || element.isIndirect { return index }
        while index < element.view.contentEnd, element.view.at(index).kind == .array { index &+= 1 }
        return index
    }

    /// Converts a value outside a list to a list with one element; null to an empty list.
    @usableFromInline
    static func single(from source: ValueSource) throws(MappingFailure) -> [Element] {
        if source.view.kind == .null { return [] }
        if Element.relation != nil, source.isForcedCollection { return try entries(of: source) }
        try source.coerce(.singleToList, "an array")
        do throws(MappingFailure) {
            return [try Element.map(from: source)]
        } catch {
            try PolicyEvaluator(source).applyElementPolicy(
                to: error, isObject: Element.relation != nil)
            return []
        }
    }

    /// Converts each member of an object to an element.
    private static func entries(of source: ValueSource) throws(MappingFailure) -> [Element] {
        var result: [Element] = []
        try source.forEachMember { element throws(MappingFailure) in
            do throws(MappingFailure) {
                result.append(try Element.map(from: element))
            } catch {
                try PolicyEvaluator(element).applyElementPolicy(to: error, isObject: true)
            }
        }
        return result
    }

    /// Writes a list of the elements.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.list(self)
    }

    /// The relation of the elements.
    @inlinable
    public static var relation: Relation? { Element.relation?.toMany }
}

extension ValueSource {
    /// Throws a mismatch unless the value stands for an object without members: null, or an empty list
    /// where the mapping allows it.
    @usableFromInline
    func requireEmptyObject() throws(MappingFailure) {
        if view.kind == .null { return }
        guard isEmptyListForObject else { throw mismatch("an object") }
        noteCoercion(.emptyListToObject)
    }
}

extension Set: MappableValue where Element: MappableValue {
    /// Converts each element; equal elements collapse, and a single value becomes a set with one
    /// element.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Set<Element> {
        Set(try [Element].map(from: source))
    }

    /// Writes a list of the elements.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.list(self)
    }

    /// The relation of the elements.
    @inlinable
    public static var relation: Relation? { Element.relation?.toMany }
}

extension Dictionary: MappableValue where Key == String, Value: MappableValue {
    /// Converts the members of an object, or null to none; of two members with one key the last one
    /// is kept.
    ///
    /// A member that is null is an issue and left out, unless the values are optional.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> [String: Value] {
        guard source.view.kind == .object else {
            try source.requireEmptyObject()
            return [:]
        }
        let object = source.view.tapeNode
        var result: [String: Value] = [:]
        result.reserveCapacity(object.count)
        var index = source.view.index &+ 1
        while index < object.contentEnd {
            let value = source.at(index &+ 1)
            do throws(MappingFailure) {
                result[source.view.at(index).string() ?? ""] = try Value.map(from: value)
            } catch {
                try PolicyEvaluator(value).applyElementPolicy(
                    to: error, isObject: Value.relation != nil)
            }
            index = value.view.nextIndex
        }
        return result
    }

    /// Writes an object; the order of its members is not defined.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.members(self)
    }

    /// The relation of the values.
    @inlinable
    public static var relation: Relation? { Value.relation?.toMany }
}
