// SPDX-License-Identifier: Apache-2.0

import RestDocument

// An object that is mapped as the list of its members: each member is an object with one key, which
// the node of that key represents.

extension ValueSource {
    /// A Boolean value that indicates whether the value is a key that represents an object with that
    /// key alone.
    @usableFromInline
    package var isSingleMember: Bool {
        unsafe context.isMemberKey(view)
            && state.pointee.objects[Int(step.pointee.object)].traits.contains(.memberList)
            && (view.kind == .string || view.kind == .escapedString)
    }

    /// A Boolean value that indicates whether the value is an object that is mapped as the list of
    /// its members.
    @usableFromInline
    package var isForcedCollection: Bool {
        guard view.kind == .object, unsafe step.pointee.object >= 0 else { return false }
        return unsafe state.pointee.objects[Int(step.pointee.object)].traits.contains(.memberList)
    }

    /// A Boolean value that indicates whether the value represents an object of the plan: it is an
    /// object, or a member of one, a plain value of which an attribute takes the whole, a list of
    /// properties by position, or an empty list that the mapping allows for an object.
    @usableFromInline
    package var isRepresentation: Bool {
        view.kind == .object || isSingleMember || isWholeValue || isEmptyListForObject
    }

    /// A Boolean value that indicates whether the value is a number, text or Boolean value in place
    /// of an object.
    @usableFromInline
    package var isPlainValue: Bool {
        switch view.kind {
        case .object, .array, .null: false
        default: !isSingleMember
        }
    }

    /// A Boolean value that indicates whether the value is plain, and an attribute takes the whole, or
    /// a list, and properties are mapped from its elements.
    var isWholeValue: Bool {
        let object = unsafe Int(step.pointee.object)
        guard unsafe state.pointee.objects[object].traits.contains(.wholeValue) else {
            return false
        }
        switch view.kind {
        case .object, .null: return false
        case .array: return context.plan.objectDetails[object].takesList
        default: return context.plan.objectDetails[object].takesPlainValue
        }
    }

    /// A Boolean value that indicates whether the value is an empty list, and the mapping allows one
    /// for an object without members.
    var isEmptyListForObject: Bool {
        view.kind == .array && view.count == 0 && allows(.emptyListToObject)
    }

    /// A Boolean value that indicates whether the mapping of the step maps plain values and nothing
    /// else: its only attribute takes the whole value.
    package var mapsOnlyPlainValues: Bool {
        let index = unsafe Int(step.pointee.object)
        guard index >= 0, context.plan.objectDetails[index].takesPlainValue else { return false }
        let object = unsafe state.pointee.objects[index]
        return object.keyCount == 0 && object.pathCount == 1
    }

    /// Calls a closure for each member, as an object of its own.
    package func forEachMember(
        _ body: (ValueSource) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        unsafe state.pointee.remainingNodeCount &-= view.nextIndex &- view.index
        let resolver = context.resolver
        let outer = resolver.memberKey
        let storage = documentNode.storage
        resolver.memberLists.append(
            SourceResolver.MemberKey(storage: storage, index: view.index))
        defer {
            resolver.memberKey = outer
            resolver.memberLists.removeLast()
        }
        var index = view.index + 1
        while index < view.contentEnd {
            resolver.memberKey = SourceResolver.MemberKey(storage: storage, index: index)
            try body(at(index))
            index = view.at(index + 1).nextIndex
        }
    }

    /// Calls a closure for each object of a list, or for a single object in its place.
    ///
    /// Null is an empty list; a null element is an issue and left out.
    func forEachObject(
        _ body: (ValueSource) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        if isForcedCollection { return try forEachMember(body) }
        switch view.kind {
        case .null: return
        case .array:
            var index = view.index + 1
            while index < view.contentEnd {
                let element = at(index)
                if element.view.kind == .null {
                    try PolicyEvaluator(element).applyElementPolicy(
                        to: element.mismatch("an object"), isObject: true)
                } else {
                    try body(element)
                }
                index = element.view.nextIndex
            }
        default: try body(self)
        }
    }
}
