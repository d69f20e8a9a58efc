// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An ``AnyValueTransform`` in the direction of requests: from the type of a property to a type of
/// documents that the transform reads.
struct ReversedTransform: ErasedRequestTransform {
    private let transform: AnyValueTransform
    /// The types of the property and of the document's value; nil if the former is known only when a
    /// value is written.
    private let types: (property: Any.Type, written: Any.Type)?

    var name: String { transform.name }

    init(_ transform: AnyValueTransform) {
        self.transform = transform
        types = nil
    }

    init(_ transform: AnyValueTransform, from property: Any.Type, to written: Any.Type) {
        self.transform = transform
        types = (property, written)
    }

    func write<Value: MappableValue>(
        _ value: Value, to writer: inout RequestWriter
    ) throws(MappingFailure) -> Bool {
        let written: Any.Type
        if let types {
            guard types.property == Value.self else { return false }
            written = types.written
        } else {
            guard let found = transform.writtenType(for: Value.self) else { return false }
            written = found
        }
        let result: Any?
        do throws(TransformFailure) {
            result = try transform.transform(value, to: written)
        } catch {
            throw writer.failed(
                .transformFailed, "a value that \(name) converts back",
                found: "a value that it rejects")
        }
        guard let result = result as? any MappableValue else {
            writer.writeNil()
            return true
        }
        try result.write(to: &writer)
        return true
    }
}

extension AnyValueTransform {
    /// The types of values that documents have and requests write.
    private static let documentTypes: [any (MappableValue & SendableMetatype).Type] = [
        String.self, Int.self, Double.self, Bool.self, UInt64.self, Int64.self, Int32.self,
        Float.self, [String].self, [Int].self, [Double].self, [Bool].self, [String: String].self,
        [String: Int].self, [String: Double].self,
    ]

    /// Returns the conversion by which request mappings write what the transform reads for a property
    /// of a type; nil if the type's own conversion does.
    func requestConversion(for type: any Any.Type) -> RequestConversion? {
        let type = OptionalTypes.wrapped(type)
        if type == Date.self, let format = members.lazy.compactMap(\.dateFormat).first {
            return .dates(format)
        }
        if type == Decimal.self, readsDecimalsAsNumbers { return .numericDecimals }
        return writtenType(for: type).map {
            .transform(ReversedTransform(self, from: type, to: $0))
        }
    }

    /// Returns the type of documents that values of a type become by the transform; nil if it does not
    /// convert in both directions, or keeps values of the type as they are.
    fileprivate func writtenType(for type: any Any.Type) -> (any Any.Type)? {
        if canTransform(from: type, to: type) { return nil }
        for member in members {
            if let found = member.typeOfDirections(for: type) { return found }
        }
        return nil
    }

    /// A Boolean value that indicates whether the transform reads decimals from numbers, and not from
    /// their text.
    private var readsDecimalsAsNumbers: Bool {
        canTransform(from: Decimal.self, to: Decimal.self)
            && canTransform(from: Double.self, to: Decimal.self)
            && !canTransform(from: String.self, to: Decimal.self)
    }

    private func typeOfDirections(for type: any Any.Type) -> (any Any.Type)? {
        guard case .directions(let directions, _) = content else { return nil }
        func direction(from input: Any.Type, to output: Any.Type) -> Int? {
            directions.firstIndex {
                $0.input.contains(input) && $0.output.contains(output) && $0.isPair(input, output)
            }
        }
        return Self.documentTypes.first { written in
            guard let reading = direction(from: written, to: type),
                let writing = direction(from: type, to: written)
            else { return false }
            return reading != writing
        }
    }
}
