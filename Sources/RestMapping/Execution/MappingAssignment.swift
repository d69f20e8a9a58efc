// SPDX-License-Identifier: Apache-2.0

extension MappingSource {
    /// Converts the value for a property and stores it in a draft.
    ///
    /// A plain step converts and stores; all that a mapping may declare besides, such as a transform
    /// or a union with the current value, is behind one comparison.
    ///
    /// - Parameters:
    ///   - target: Where the draft keeps the property; nil while nothing was assigned.
    ///   - current: What the property holds if nothing was assigned, for drafts that keep it
    ///     elsewhere.
    ///   - default: What the declaration of the property gives it.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is as it was.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        _ target: inout Value?, current: @autoclosure () -> Value? = nil,
        default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        if unsafe step.pointee.transform >= 0 {
            target = try transformed(Value.self)
            return
        }
        target = try Value.map(from: self)
    }

    /// Converts the value for an optional property and stores it in a draft where nil and "not
    /// assigned" are the same.
    ///
    /// - Parameters:
    ///   - target: Where the draft keeps the property, and its current value.
    ///   - default: What the declaration of the property gives it.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is as it was.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        nullable target: inout Value?, default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        if unsafe step.pointee.transform >= 0 {
            target = try transformed(Value?.self)
            return
        }
        target = try Value?.map(from: self)
    }
}
