// SPDX-License-Identifier: Apache-2.0

import RestDocument

// Generated code passes each property to `Property.init`, `ValueSource.assign` and
// `RequestWriter.write`. Only `write` is unavailable for a type without a conformance, so that the
// compiler reports one error for each such property, and its message replaces the compiler's list of
// rejected candidates. The other two accept every type.

extension RequestWriter {
    /// Unavailable: the type of the property cannot be mapped.
    @available(
        *, unavailable,
        message: """
            the type of this property cannot be mapped; declare an enum ': MappableValue', a Codable \
            type ': MappableCodable', another structure or class '@Mapped', or the property \
            '@MappedIgnored'
            """
    )
    public mutating func write<Value>(_ value: Value) throws(MappingFailure) {
        fatalError("unavailable")
    }
}

extension Property {
    /// Creates a property whose type cannot be mapped, which the compiler reports where the property
    /// is written.
    public init<Root, Value>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: nil, valueType: type,
            policy: policy, keyPath: keyPath, transform: transform)
    }

    /// Creates a property whose type cannot be mapped, which the compiler reports where the property
    /// is written.
    public init<Root, Value>(
        _ name: String, _ keyPath: any KeyPath<Root, Value?> & Sendable,
        _ type: Value?.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>
    ) {
        self.init(
            name, keyPath, type, source: source, isRequired: isRequired, policy: policy,
            transform: transform.toOptional)
    }

    /// Creates a property whose type cannot be mapped, which the compiler reports where the property
    /// is written.
    public init<Root, Value>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: AnyValueTransform
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: nil, valueType: type,
            policy: policy, keyPath: keyPath, transform: AnyPropertyTransform(transform))
    }

    /// Creates a property whose type cannot be mapped, which the compiler reports where the property
    /// is written.
    public init<Root, Value>(
        required name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type
    ) {
        self.init(name, keyPath, type, isRequired: true)
    }
}

extension ValueSource {
    /// Fails: the type of the property cannot be mapped, which the compiler reports where the property
    /// is written.
    public func assign<Value>(_ target: inout Value?) throws(MappingFailure) {
        throw unmappable(Value.self)
    }

    /// Fails: the type of the property cannot be mapped, which the compiler reports where the property
    /// is written.
    public func assign<Value>(nullable target: inout Value?) throws(MappingFailure) {
        throw unmappable(Value.self)
    }

    /// Fails: the type of the property cannot be mapped, which the compiler reports where the property
    /// is written.
    public func assign<Value>(collection target: inout Value?) throws(MappingFailure) {
        throw unmappable(Value.self)
    }

    /// Fails: the type of the property cannot be mapped, which the compiler reports where the property
    /// is written.
    public func assign<Value>(
        _ target: inout Value?, default: @autoclosure () -> Value?
    ) throws(MappingFailure) {
        throw unmappable(Value.self)
    }

    /// Fails: the type of the property cannot be mapped, which the compiler reports where the property
    /// is written.
    public func assign<Value>(
        _ target: inout Value?, current: @autoclosure () -> Value?,
        default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        throw unmappable(Value.self)
    }

    private func unmappable(_ type: (some Any).Type) -> MappingFailure {
        failure(.typeMismatch, "a property whose type, '\(type)', can be mapped")
    }
}
