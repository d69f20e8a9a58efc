// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An ``AnyValueTransform`` that converts to the type of the property it is declared for, which is
/// known when a value is read.
struct AnyPropertyTransform: PropertyTransform {
    private let transform: AnyValueTransform
    /// A Boolean value that indicates whether the transform is declared for a whole mapping; the
    /// property's type then converts the values that the transform refuses.
    private let isForMapping: Bool
    /// The kinds of values that the transform would leave as the property's type converts them, a
    /// bit for each kind.
    private let unchangedKinds: UInt16
    /// The kinds of values inside an array that the transform would leave unchanged.
    private let unchangedElementKinds: UInt16

    var name: String { transform.name }
    var valueType: (any Any.Type)? { nil }

    /// Creates the transform of one attribute.
    init(_ transform: AnyValueTransform) {
        self.transform = transform
        isForMapping = false
        (unchangedKinds, unchangedElementKinds) = (0, 0)
    }

    /// Creates the transform of a whole mapping, for a property of one type.
    init(_ transform: AnyValueTransform, ofMappingFor type: (any Any.Type)?) {
        self.transform = transform
        isForMapping = true
        let wrapped = type.map { OptionalTypes.wrapped($0) }
        unchangedKinds =
            (wrapped.map { transform.unchangedKinds(to: $0) } ?? 0)
            | (type is any OptionalType.Type ? 1 << UInt16(TapeKind.null.rawValue) : 0)
        unchangedElementKinds = wrapped.map { transform.unchangedElementKinds(to: $0) } ?? 0
    }

    func requestConversion(for type: (any Any.Type)?) -> RequestConversion? {
        if let type { return transform.requestConversion(for: type) }
        if let format = transform.dateFormat { return .dates(format) }
        return .transform(ReversedTransform(transform))
    }

    /// Returns a Boolean value that indicates whether the transform would leave a value as the
    /// property's type converts it.
    private func isUnchanged(_ node: NodeView) -> Bool {
        if unchangedKinds >> UInt16(node.kind.rawValue) & 1 == 1 { return true }
        guard unchangedElementKinds != 0, node.kind == .array, node.count > 0 else { return false }
        return node.elements.allSatisfy {
            unchangedElementKinds >> UInt16($0.kind.rawValue) & 1 == 1
        }
    }

    func value<Value: MappableValue>(
        from source: ValueSource
    ) throws(MappingFailure) -> Value {
        if isUnchanged(source.view) { return try Value.map(from: source) }
        do throws(TransformFailure) {
            return try transform.value(of: source.view)
        } catch {
            if isForMapping, error.isRefusal { return try Value.map(from: source) }
            throw source.failure(.transformFailed, "a value that \(name) accepts")
        }
    }
}

extension AnyValueTransform: MappingTransform {
    func propertyTransform(for type: (any Any.Type)?) -> any PropertyTransform {
        AnyPropertyTransform(self, ofMappingFor: type)
    }
}

extension AnyValueTransform {
    /// Returns the kinds of values whose first member is ``identity``, and those that no member
    /// accepts, a bit for each kind.
    fileprivate func unchangedKinds(to output: Any.Type) -> UInt16 {
        // Other kinds have more than one type in Swift.
        let inputs: [(TapeKind, Any.Type)] = [
            (.true, Bool.self), (.false, Bool.self), (.integer, Int.self), (.string, String.self),
            (.escapedString, String.self), (.double, Double.self),
        ]
        let unchanged = inputs.filter { kind, input in
            // A number with more digits than a double has is not only a double.
            leavesUnchanged(input, as: output) && (kind != .double || output == Double.self)
        }
        return unchanged.reduce(0) { $0 | 1 << UInt16($1.0.rawValue) }
    }

    /// Returns the kinds of elements that ``identity`` converts in an array of a type.
    fileprivate func unchangedElementKinds(to output: Any.Type) -> UInt16 {
        let inputs: [([TapeKind], Any.Type)] = [
            ([.string, .escapedString], [String].self), ([.integer], [Int].self),
            ([.true, .false], [Bool].self),
        ]
        let kinds = inputs.first { $0.1 == output && leavesUnchanged($0.1, as: output) }?.0 ?? []
        return kinds.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    private func leavesUnchanged(_ input: Any.Type, as output: Any.Type) -> Bool {
        guard let first = members(from: input, to: output).first else { return true }
        return first.isIdentity
    }

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
    /// Returns the Swift value that an ``AnyValueTransform`` receives; nil for null.
    ///
    /// An array whose elements are all of one kind is typed, such as `[String]`. A number with more
    /// digits than a double has is a decimal; one with more digits than a decimal has is its text.
    fileprivate func plainValue() -> Any? {
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

    /// The value as an element of a list, where an empty optional stands for null.
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
