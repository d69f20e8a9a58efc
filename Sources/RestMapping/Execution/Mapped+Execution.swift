// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Mapped {
    /// Maps one object, such as a related object or the element of a list.
    ///
    /// Compiled for each type, which keeps objects out of boxes, but not inlined; whatever does not
    /// depend on the type is compiled once.
    @inlinable @inline(never)
    public static func map(from source: ValueSource) throws(MappingFailure) -> Self {
        walk: do throws(MappingFailure) {
            var draft = makeDraft()
            guard try PlanExecutor(source).walkIfObject(into: &draft) else { break walk }
            let object = try finish(consume draft)
            source.countObject()
            return object
        } catch {
            throw PolicyEvaluator(source).applyObjectPolicy(to: error)
        }
        return try mapIndirectly(source)
    }

    /// Updates an existing object; properties that the document does not contain are unchanged.
    @inlinable
    static func map(from source: ValueSource, editing subject: Self) throws(MappingFailure)
        -> Self
    {
        guard source.isRepresentation else { throw source.mismatch("an object") }
        do throws(MappingFailure) {
            var draft = subject.makeDraft()
            try PlanExecutor(source).walk(filling: &draft)
            let object = try finish(consume draft)
            source.countObject()
            return object
        } catch {
            throw PolicyEvaluator(source).applyObjectPolicy(to: error)
        }
    }

    /// Collects the changes to an existing object, which are applied when the whole run has
    /// succeeded.
    static func prepare(
        from source: ValueSource, editing subject: Self
    ) throws(MappingFailure) {
        do throws(MappingFailure) {
            var draft = subject.makeDraft()
            try PlanExecutor(source).walk(filling: &draft)
            source.countObject()
            let finished = draft
            source.context.deferWrite { () throws(MappingFailure) in _ = try finish(finished) }
        } catch {
            throw PolicyEvaluator(source).applyObjectPolicy(to: error)
        }
    }

    /// Maps each object of a list, or a single object in its place.
    @inlinable
    public static func mapAll(_ source: ValueSource) throws(MappingFailure) -> [Self] {
        switch source.view.kind {
        case .array: return try [Self].map(from: source)
        case .null: return []
        default:
            if source.isForcedCollection { return try [Self].map(from: source) }
            do throws(MappingFailure) {
                return [try map(from: source)]
            } catch {
                try PolicyEvaluator(source).applyElementPolicy(to: error, isObject: true)
                return []
            }
        }
    }
}
