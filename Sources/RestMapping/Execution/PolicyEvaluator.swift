// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Records failures as issues and applies the policies of the mapping to them.
///
/// A failure is recorded once, where a policy is first applied to it; `MappingFailure.progress` notes
/// that.
@frozen
@usableFromInline
package struct PolicyEvaluator {
    @usableFromInline let source: ValueSource

    /// Creates an evaluator for failures at a value.
    @inlinable @inline(__always)
    package init(_ source: ValueSource) { self.source = source }

    /// Applies the policy to a property's failure.
    ///
    /// - Throws: The failure, unless the property is left as it is and the walk continues.
    @inline(never)
    func applyPropertyPolicy(to failure: MappingFailure) throws(MappingFailure) {
        switch failure.progress {
        case .ended, .objectFailed: throw failure
        case .objectDropped, .kept: return
        case .unrecorded:
            let step = unsafe source.step.pointee
            source.context.record(
                failure, at: source, mapping: Int(step.mapping), property: Int(step.property))
            if step.policy.invalidValue == .drop, failure.code != .validationFailed { return }
            throw failure.advanced(to: .objectFailed)
        }
    }

    /// Applies the policy to an object that cannot be built.
    ///
    /// - Returns: The failure, which ends the run or drops the object.
    @usableFromInline
    func applyObjectPolicy(to failure: MappingFailure) -> MappingFailure {
        let related = unsafe source.state.pointee.objects[Int(source.step.pointee.object)]
        let context = source.context
        switch failure.progress {
        case .ended, .objectDropped, .kept: return failure
        case .unrecorded where isCausedByRecord(failure, of: Int(related.mapping)): break
        case .unrecorded:
            context.record(
                failure, at: source, mapping: Int(related.mapping), property: failure.property)
        case .objectFailed: break
        }
        EventReporter(source).report(.failed(failure.code))
        // A run over its limit ends: dropping the object would only continue the work elsewhere.
        if related.policy.invalidObject == .fail || failure.code == .passesExceeded {
            return failure.advanced(to: .ended)
        }
        context.issues.droppedObjectCount += 1
        return failure.advanced(to: .objectDropped)
    }

    /// Applies the policy to an element of a list.
    ///
    /// Null in place of an element is left out, unless a wrong value fails its object.
    ///
    /// - Throws: The failure, unless the list continues without the element.
    @usableFromInline
    package func applyElementPolicy(
        to failure: MappingFailure, isObject: Bool
    ) throws(MappingFailure) {
        if source.view.kind == .null, failure.progress == .unrecorded {
            return try applyNullElementPolicy(to: failure, isObject: isObject)
        }
        var failure = failure
        if isObject { failure = applyObjectPolicy(to: failure) }
        if failure.progress == .objectDropped { return }
        let step = unsafe source.step.pointee
        if failure.progress == .unrecorded, step.policy.invalidElement == .drop {
            source.context.record(
                failure, at: source, mapping: Int(step.mapping), property: Int(step.property))
            return
        }
        throw failure
    }

    /// Applies the policy to a null element of a list inside an object that decodes itself.
    ///
    /// - Throws: The failure, if a wrong value fails the object.
    func applyDecodedNullPolicy(
        to failure: MappingFailure, isObject: Bool
    ) throws(MappingFailure) {
        let step = unsafe source.step.pointee
        var (mapping, property, policy) = (Int(step.mapping), Int(step.property), step.policy)
        if step.object >= 0 {
            let object = unsafe source.state.pointee.objects[Int(step.object)]
            (mapping, property, policy) = (Int(object.mapping), failure.property, object.policy)
        }
        guard policy.invalidValue == .drop else { throw failure }
        source.context.record(failure, at: source, mapping: mapping, property: property)
        if isObject { source.context.issues.droppedObjectCount += 1 }
    }

    private func applyNullElementPolicy(
        to failure: MappingFailure, isObject: Bool
    ) throws(MappingFailure) {
        let step = unsafe source.step.pointee
        guard step.policy.invalidValue == .drop else { throw failure }
        source.context.record(
            failure, at: source, mapping: Int(step.mapping), property: Int(step.property))
        if isObject { source.context.issues.droppedObjectCount += 1 }
    }

    /// Returns a Boolean value that indicates whether a required property of the object is missing
    /// because its value was recorded as an issue already.
    private func isCausedByRecord(_ failure: MappingFailure, of mapping: Int) -> Bool {
        let context = source.context
        let view = source.view
        guard failure.code == .missingValue, failure.property >= 0, view.isOf(context.storage)
        else { return false }
        return context.issues.isCausedByRecord(
            failure, of: mapping, within: view.index..<view.nextIndex)
    }
}
