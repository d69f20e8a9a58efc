// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Properties of common types, compiled once instead of into the `write` of each mapped type: there, a
// property is one call.

extension RequestWriter {
    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Bool) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Bool?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Int) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Int?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Int64) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Int64?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Double) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Double?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: String) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: String?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Date) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Date?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: URL) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: URL?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: UUID) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: UUID?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Decimal) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a value as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: Decimal?) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a list as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: [String]) throws(MappingFailure) {
        try writeProperty(value)
    }

    /// Writes a list as the mapping declares, or else in the form of its type.
    public mutating func write(_ value: [Int]) throws(MappingFailure) {
        try writeProperty(value)
    }

    @inline(__always)
    private mutating func writeProperty<Value: MappableValue>(
        _ value: Value
    ) throws(MappingFailure) {
        if unsafe step.pointee.isTransformed { return try writeTransformed(value) }
        try value.write(to: &self)
    }
}
