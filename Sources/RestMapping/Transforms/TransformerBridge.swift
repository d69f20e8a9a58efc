// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ValueTransform {
    /// Makes a transform of a transformer between Swift values.
    ///
    /// Null is nil for an optional property without the transformer being asked.
    public init(_ transformer: any ValueTransforming) {
        self.init(name: transformer.name) { source throws(MappingFailure) in
            try transformer.value(from: source)
        }
    }
}

/// A transformer whose result type is the property's, known when a value is read.
struct TransformerHook: ErasedTransform {
    let transformer: any ValueTransforming
    /// Whether the type converts itself what the transformer cannot: one for a whole mapping.
    let isForMapping: Bool

    var name: String { transformer.name }
    var valueType: (any Any.Type)? { nil }

    func value<Value: MappableValue>(
        from source: MappingSource
    ) throws(MappingFailure) -> Value {
        if isForMapping {
            let input = source.node.plainValue().map { type(of: $0) } ?? Never?.self
            guard transformer.canTransform(from: input, to: wrappedType(Value.self)) else {
                return try Value.map(from: source)
            }
        }
        return try transformer.value(from: source)
    }
}

extension ValueTransforming {
    /// Converts a value of a document to a property's type.
    func value<Value>(from source: MappingSource) throws(MappingFailure) -> Value {
        let input = source.node.plainValue()
        let null = (Value.self as? any OptionalType.Type)?.null as? Value
        if input == nil, let null { return null }
        let result: Any?
        do throws(TransformFailure) {
            result = try transform(input, to: wrappedType(Value.self))
        } catch {
            throw source.failure(.transformFailed, "what \(name) accepts")
        }
        if let value = result as? Value, result != nil { return value }
        if result == nil, let null { return null }
        throw source.failure(.transformFailed, "what \(name) makes a \(Value.self) of")
    }
}

/// The type inside an optional one, or the type itself.
private func wrappedType(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
}

/// An optional type, met where only a metatype is known.
private protocol OptionalType {
    static var wrapped: Any.Type { get }
    static var null: Any { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
    static var null: Any { Self.none as Any }
}

extension NodeView {
    /// The value as transformers take it: nil for null.
    ///
    /// Arrays of one kind of element are typed, as `[String]`. A number with more digits than a
    /// double has is a decimal, and one that is beyond that too is its text.
    func plainValue() -> Any? {
        switch kind {
        case .null: return nil
        case .true: return true
        case .false: return false
        case .string, .escapedString: return string()
        case .array:
            let elements = self.elements.map { $0.plainValue() as Any }
            return elements as? [String] ?? elements as? [Int] ?? elements as? [Double]
                ?? elements as? [Bool] ?? elements
        case .object:
            var object: [String: Any] = [:]
            for member in members {
                object[member.key.string() ?? ""] = member.value.plainValue() as Any
            }
            return object
        default: return plainNumber
        }
    }

    private var plainNumber: Any? {
        if kind == .integer, let value = int64 { return Int(exactly: value) ?? value }
        if kind == .unsigned, let value = uint64 { return value }
        let decimal = unsafe DecimalText.read(numberBytes.span)
        guard let double else { return decimal ?? numberText }
        guard let decimal, double.decimal != decimal else { return double }
        return decimal
    }
}
