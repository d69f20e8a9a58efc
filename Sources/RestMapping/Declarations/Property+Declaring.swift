// SPDX-License-Identifier: Apache-2.0

import RestDocument

// The properties of a type, as generated code declares them.

extension Property {
    /// Creates a property of a Swift type.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keyPath: The key path, which names the property in declarations and reads it by name; it
    ///     never writes the property.
    ///   - type: The type of the property.
    ///   - source: The path from which the default mapping reads the property; its name if nil.
    ///   - isRequired: A Boolean value that indicates whether the property has neither a default
    ///     nor nil.
    ///   - policy: The policy for a value that does not fit, unless a mapping declares one for the
    ///     attribute.
    ///   - transform: The transform that replaces the conversion of the type, unless a mapping
    ///     declares another.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath, transform: transform)
    }

    /// Creates a property with a default value or an optional type, mapped from the key of its name.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type
    ) {
        self.init(
            name, source: nil, isRequired: false, relation: Value.relation, valueType: type,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    /// Creates a property with neither a default value nor an optional type, mapped from the key of
    /// its name.
    public init<Root, Value: MappableValue>(
        required name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type
    ) {
        self.init(
            name, source: nil, isRequired: true, relation: Value.relation, valueType: type,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    /// Creates an optional property with a transform to the wrapped type; null becomes nil.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value?> & Sendable,
        _ type: Value?.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath, transform: transform.toOptional)
    }
}

extension ValueTransform {
    /// The transform to an optional type; null becomes nil.
    var toOptional: ValueTransform<Value?> {
        ValueTransform<Value?>(name: name, requestConversion: requestConversion) {
            source throws(MappingFailure) in
            source.view.isNull ? nil : try apply(source)
        }
    }
}
