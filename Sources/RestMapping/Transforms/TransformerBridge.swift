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
            do throws(TransformFailure) {
                return try transformer.value(of: source.node)
            } catch {
                throw source.failure(.transformFailed, "what \(transformer.name) accepts")
            }
        }
    }
}

/// A transformer whose result type is the property's, known when a value is read.
struct TransformerHook: ErasedTransform {
    let transformer: any ValueTransforming
    /// Whether the type converts itself what the transformer cannot: one for a whole mapping.
    let isForMapping: Bool
    /// The kinds of values that the transformer would leave as the property's type makes them.
    ///
    /// A bit for each.
    private let plainKinds: UInt16
    /// The same of the elements of an array.
    private let plainElements: UInt16

    var name: String { transformer.name }
    var valueType: (any Any.Type)? { nil }

    /// A transformer declared for one attribute.
    init(transformer: any ValueTransforming) {
        self.transformer = transformer
        isForMapping = false
        (plainKinds, plainElements) = (0, 0)
    }

    /// A transformer of a whole mapping, for a property of one type.
    init(transformer: any ValueTransforming, ofMappingFor type: (any Any.Type)?) {
        self.transformer = transformer
        isForMapping = true
        let chain = transformer as? CompoundTransformer ?? CompoundTransformer([transformer])
        let wrapped = type.map { OptionalTypes.wrapped($0) }
        plainKinds =
            (wrapped.map { chain.plainKinds(to: $0) } ?? 0)
            | (type is any OptionalType.Type ? 1 << UInt16(TapeKind.null.rawValue) : 0)
        plainElements = wrapped.map { chain.plainElements(to: $0) } ?? 0
    }

    /// Whether the transformer would leave a value as the property's type makes it.
    private func isPlain(_ node: NodeView) -> Bool {
        if plainKinds >> UInt16(node.kind.rawValue) & 1 == 1 { return true }
        guard plainElements != 0, node.kind == .array, node.count > 0 else { return false }
        return node.elements.allSatisfy { plainElements >> UInt16($0.kind.rawValue) & 1 == 1 }
    }

    func value<Value: MappableValue>(
        from source: MappingSource
    ) throws(MappingFailure) -> Value {
        if isPlain(source.node) { return try Value.map(from: source) }
        do throws(TransformFailure) {
            return try transformer.value(of: source.node)
        } catch {
            if isForMapping, error.isRefusal { return try Value.map(from: source) }
            throw source.failure(.transformFailed, "what \(name) accepts")
        }
    }
}

extension CompoundTransformer {
    /// The kinds of values that the first member to take them only passes on as they are, and those
    /// that no member takes, a bit for each.
    fileprivate func plainKinds(to output: Any.Type) -> UInt16 {
        // Other kinds have more than one type in Swift.
        let inputs: [(TapeKind, Any.Type)] = [
            (.true, Bool.self), (.false, Bool.self), (.integer, Int.self), (.string, String.self),
            (.escapedString, String.self), (.double, Double.self),
        ]
        let plain = inputs.filter { kind, input in
            // A number with more digits than a double has is not only a double.
            leaves(input, as: output) && (kind != .double || output == Double.self)
        }
        return plain.reduce(0) { $0 | 1 << UInt16($1.0.rawValue) }
    }

    /// The same for the elements of an array that becomes one of a type.
    fileprivate func plainElements(to output: Any.Type) -> UInt16 {
        let inputs: [([TapeKind], Any.Type)] = [
            ([.string, .escapedString], [String].self), ([.integer], [Int].self),
            ([.true, .false], [Bool].self),
        ]
        let kinds = inputs.first { $0.1 == output && leaves($0.1, as: output) }?.0 ?? []
        return kinds.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    private func leaves(_ input: Any.Type, as output: Any.Type) -> Bool {
        guard let first = transformers(from: input, to: output).first else { return true }
        return first is Transformer && first.name == Transformer.identity.name
    }
}

extension ValueTransforming {
    /// Converts a value of a document to a property's type.
    func value<Value>(of node: NodeView) throws(TransformFailure) -> Value {
        let input = node.plainValue()
        let null: Value? = OptionalTypes.nilValue()
        if input == nil, let null { return null }
        let type = OptionalTypes.wrapped(Value.self)
        guard let result = try transform(input, to: type) else {
            if let null { return null }
            throw failure(.failed, input, type)
        }
        guard let value = result as? Value else { throw failure(.failed, input, type) }
        return value
    }
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
            let elements = self.elements.map { $0.plainElement }
            return elements as? [String] ?? elements as? [Int] ?? elements as? [Double]
                ?? elements as? [Bool] ?? elements
        case .object:
            var object: [String: Any] = [:]
            for member in members {
                object[member.key.string() ?? ""] = member.value.plainElement
            }
            return object
        default: return plainNumber
        }
    }

    /// The value in a list, where null is an empty optional.
    private var plainElement: Any { plainValue() ?? (Any?.none as Any) }

    private var plainNumber: Any? {
        if kind == .integer, let value = int64 { return Int(exactly: value) ?? value }
        if kind == .unsigned, let value = uint64 { return value }
        let decimal = unsafe DecimalText.read(numberBytes.span)
        guard let double else { return decimal ?? numberText }
        guard let decimal, double.decimal != decimal else { return double }
        return decimal
    }
}
