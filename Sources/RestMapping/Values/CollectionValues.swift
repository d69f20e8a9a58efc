// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Array: MappableValue where Element: MappableValue {
    /// Converts every element; a single value becomes a list of one.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> [Element] {
        guard source.node.kind == .array else { return try single(from: source) }
        let list = source.node.node
        var result: [Element] = []
        result.reserveCapacity(list.count)
        var index = source.node.index &+ 1
        while index < list.contentEnd {
            let element = source.at(index)
            do throws(MappingFailure) {
                result.append(try Element.map(from: element))
            } catch {
                if let inside = indexInside(element, after: error) {
                    index = inside
                    continue
                }
                try element.leaveOut(error, isObject: Element.relation != nil)
            }
            index = element.node.nextIndex
        }
        return result
    }

    /// Index of the first value inside of an element that is a list where a mapped object belongs, as
    /// such lists become one; nil for other elements.
    @usableFromInline
    static func indexInside(_ element: MappingSource, after failure: MappingFailure) -> Int? {
        guard element.node.kind == .array, failure.progress == .fresh,
            Element.relation?.isToMany == false
        else { return nil }
        var index = element.node.index &+ 1
        // A type that decodes itself may be a list, so each of them has to be tried.
        if element.objectIndex < 0 || element.isUnwalked { return index }
        while index < element.node.contentEnd, element.node.at(index).kind == .array { index &+= 1 }
        return index
    }

    /// The list of one that a value outside of a list becomes; null does not.
    @usableFromInline
    static func single(from source: MappingSource) throws(MappingFailure) -> [Element] {
        if source.node.kind == .null { throw source.mismatch("an array") }
        if Element.relation != nil, source.isForcedCollection { return try entries(of: source) }
        try source.coerce(.singleToList, "an array")
        do throws(MappingFailure) {
            return [try Element.map(from: source)]
        } catch {
            try source.leaveOut(error, isObject: Element.relation != nil)
            return []
        }
    }

    /// The objects that the members of an object are.
    private static func entries(of source: MappingSource) throws(MappingFailure) -> [Element] {
        var result: [Element] = []
        try source.forEachEntry { element throws(MappingFailure) in
            do throws(MappingFailure) {
                result.append(try Element.map(from: element))
            } catch {
                try element.leaveOut(error, isObject: true)
            }
        }
        return result
    }

    /// Writes a list of the elements.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.list(self)
    }

    /// What the elements relate to.
    @inlinable
    public static var relation: Relation? { Element.relation?.toMany }
}

extension Set: MappableValue where Element: MappableValue {
    /// Converts every element; equal elements collapse, a single value becomes a set of one.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Set<Element> {
        Set(try [Element].map(from: source))
    }

    /// Writes a list of the elements.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.list(self)
    }

    /// What the elements relate to.
    @inlinable
    public static var relation: Relation? { Element.relation?.toMany }
}

extension Dictionary: MappableValue where Key == String, Value: MappableValue {
    /// Converts the members of an object; of two with one key the last stays.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> [String: Value] {
        guard source.node.kind == .object else { throw source.mismatch("an object") }
        let object = source.node.node
        var result: [String: Value] = [:]
        result.reserveCapacity(object.count)
        var index = source.node.index &+ 1
        while index < object.contentEnd {
            let value = source.at(index &+ 1)
            do throws(MappingFailure) {
                result[source.node.at(index).string() ?? ""] = try Value.map(from: value)
            } catch {
                try value.leaveOut(error, isObject: Value.relation != nil)
            }
            index = value.node.nextIndex
        }
        return result
    }

    /// Writes an object; the order of its members is not defined.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.members(self)
    }

    /// What the values relate to.
    @inlinable
    public static var relation: Relation? { Value.relation?.toMany }
}
