// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The functions by which a draft assigns its properties. A plain step converts the value and stores
// it; everything else that a mapping may declare, such as a transform or a union with the current
// value, is behind one comparison.

extension ValueSource {
    /// Returns the new value of a property, which the draft stores at once.
    ///
    /// The transform and the validation of the mapping apply, and the observer of the run receives the
    /// events of the property. An ``AssignmentPolicy/union`` replaces the value, as the current one is not
    /// known; `assign(_:)` compares and merges both.
    ///
    /// - Throws: ``MappingFailure`` when the value does not fit the type, or when the property keeps its
    ///   value, which is not recorded as an issue.
    @inlinable @inline(__always)
    public func read<Value: MappableValue>(_ type: Value.Type) throws(MappingFailure) -> Value {
        if unsafe step.pointee.isSpecial { return try PropertyAssigner(self).read(type) }
        return try Value.map(from: self)
    }

    /// Converts the value to a type, through the attribute's transform if the mapping declares one.
    ///
    /// The validation and the observer are left to the caller, as for columns of rows.
    ///
    /// - Throws: ``MappingFailure`` when the value does not fit the type, or is missing.
    @inlinable @inline(__always)
    package func converted<Value: MappableValue>(
        to type: Value.Type
    ) throws(MappingFailure) -> Value {
        if unsafe step.pointee.isSpecial { return try PropertyAssigner(self).convert(to: type) }
        return try Value.map(from: self)
    }

    /// Converts the value for a property and stores it in a draft.
    ///
    /// - Parameter target: The draft's copy of the property; nil while nothing was assigned.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is unchanged.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(_ target: inout Value?) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial { return try PropertyAssigner(self).assign(&target) }
        target = try Value.map(from: self)
    }

    /// Converts the value for an optional property and stores it in a draft where nil and "not
    /// assigned" are the same.
    ///
    /// - Parameter target: The draft's copy of the property, and its current value.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is unchanged.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        nullable target: inout Value?
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(nullable: &target)
        }
        target = try Value?.map(from: self)
    }

    /// Converts the value for a property that is an empty collection by default and stores it in a
    /// draft.
    ///
    /// - Parameter target: The draft's copy of the property; nil while nothing was assigned.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is unchanged.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue & MergeableCollection>(
        collection target: inout Value?
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(collection: &target)
        }
        target = try Value.map(from: self)
    }

    /// Converts the value for a property whose type is named as a collection but cannot be merged, and
    /// stores it in a draft.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        collection target: inout Value?
    ) throws(MappingFailure) {
        try assign(&target)
    }

    /// Converts the value for a property with a default and stores it in a draft.
    ///
    /// - Parameters:
    ///   - target: The draft's copy of the property; nil while nothing was assigned.
    ///   - default: The value that the property's declaration gives it.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is unchanged.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        _ target: inout Value?, default: @autoclosure () -> Value?
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(
                &target, current: { nil }, default: `default`)
        }
        target = try Value.map(from: self)
    }

    /// Converts the value for a property and stores it in a draft that keeps the current value
    /// elsewhere.
    ///
    /// - Parameters:
    ///   - target: The draft's copy of the property; nil while nothing was assigned.
    ///   - current: The value of the property if nothing was assigned.
    ///   - default: The value that the property's declaration gives it.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is unchanged.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        _ target: inout Value?, current: @autoclosure () -> Value?,
        default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(
                &target, current: current, default: `default`)
        }
        target = try Value.map(from: self)
    }
}

// MARK: - Common types

// Compiled once instead of into each draft: a draft's property is then one call.

extension ValueSource {
    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout Bool?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout Bool?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout Int?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout Int?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout Int64?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout Int64?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout Double?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout Double?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout String?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout String?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout Date?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout Date?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout URL?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout URL?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout UUID?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout UUID?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property and stores it in a draft.
    public func assign(_ target: inout Decimal?) throws(MappingFailure) {
        try assignPlain(&target)
    }

    /// Converts the value for an optional property and stores it in a draft.
    public func assign(nullable target: inout Decimal?) throws(MappingFailure) {
        try assignPlain(nullable: &target)
    }

    /// Converts the value for a property that is an empty list by default and stores it in a draft.
    public func assign(collection target: inout [String]?) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(collection: &target)
        }
        target = try [String].map(from: self)
    }

    /// Converts the value for a property that is an empty list by default and stores it in a draft.
    public func assign(collection target: inout [Int]?) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(collection: &target)
        }
        target = try [Int].map(from: self)
    }

    @inline(__always)
    private func assignPlain<Value: MappableValue>(
        _ target: inout Value?
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial { return try PropertyAssigner(self).assign(&target) }
        target = try Value.map(from: self)
    }

    @inline(__always)
    private func assignPlain<Value: MappableValue>(
        nullable target: inout Value?
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try PropertyAssigner(self).assign(nullable: &target)
        }
        target = try Value?.map(from: self)
    }
}
