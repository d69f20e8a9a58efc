// SPDX-License-Identifier: Apache-2.0

public import RestDocument

// The functions that generated code calls, for property types without a conformance. Their message
// replaces the compiler's list of rejected candidates; none of them can be called.

extension Property {
    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public init<Root, Value>(
        _ name: String, _ keyPath: KeyPath<Root, Value>, _ type: Value.Type
    ) {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public init<Root, Value>(
        required name: String, _ keyPath: KeyPath<Root, Value>, _ type: Value.Type
    ) {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public init<Root, Value>(
        _ name: String, _ keyPath: KeyPath<Root, Value>, _ type: Value.Type,
        source: DocumentPath, isRequired: Bool = false, policy: IssuePolicy? = nil
    ) {
        fatalError("unavailable")
    }
}

extension ValueSource {
    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public func assign<Value>(_ target: inout Value?) throws(MappingFailure) {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public func assign<Value>(nullable target: inout Value?) throws(MappingFailure) {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public func assign<Value>(collection target: inout Value?) throws(MappingFailure) {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public func assign<Value>(
        _ target: inout Value?, default: @autoclosure () -> Value?
    ) throws(MappingFailure) {
        fatalError("unavailable")
    }

    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public func assign<Value>(
        _ target: inout Value?, current: @autoclosure () -> Value?,
        default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        fatalError("unavailable")
    }
}

extension RequestWriter {
    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: "not mappable: an enum conforms to MappableValue, a Codable to MappableCodable"
    )
    public mutating func write<Value>(_ value: Value) throws(MappingFailure) {
        fatalError("unavailable")
    }
}
