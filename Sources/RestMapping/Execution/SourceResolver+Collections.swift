// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Collection operators: one value made of the elements of a list.

extension SourceResolver {
    func collected(
        by collection: CollectionOperator, _ inner: SourcePath, of position: Position
    ) -> Node? {
        let elements: [Node]
        switch position {
        case .list(let nodes): elements = nodes
        case .one(let node) where node.kind == .array: elements = Array(node.elements)
        case .one(let node):
            guard collection == .count, node.kind == .object else { return nil }
            return number(Decimal(node.count))
        }
        switch collection {
        case .count: return number(Decimal(elements.count))
        case .sum, .avg:
            var numbers: [Decimal] = []
            for value in values(at: inner, of: elements) where !value.isNull {
                // In place of a result, so that the value is an issue of the property.
                guard let number = decimal(value) else { return value }
                numbers.append(number)
            }
            let sum = numbers.reduce(0, +)
            if collection == .sum { return number(sum) }
            return numbers.isEmpty ? nil : number(sum / Decimal(numbers.count))
        case .min, .max:
            return extreme(of: values(at: inner, of: elements), isLeast: collection == .min)
        case .unionOfObjects: return Self.list(of: values(at: inner, of: elements))
        case .distinctUnionOfObjects:
            return Self.list(of: distinct(values(at: inner, of: elements)))
        case .unionOfArrays: return Self.list(of: elements.flatMap { union(inner, of: $0) })
        case .distinctUnionOfArrays, .distinctUnionOfSets:
            return Self.list(of: distinct(elements.flatMap { union(inner, of: $0) }))
        }
    }

    private func union(_ inner: SourcePath, of element: Node) -> [Node] {
        element.kind == .array ? values(at: inner, of: Array(element.elements)) : []
    }

    /// The values that a source leads to in each of several values, where there are any.
    private func values(at inner: SourcePath, of elements: [Node]) -> [Node] {
        if inner.components.isEmpty || inner.components == [.key("self")] { return elements }
        return elements.compactMap { value(at: inner, of: $0) }
    }

    private func distinct(_ nodes: [Node]) -> [Node] {
        var seen = Set<Node>()
        return nodes.filter { seen.insert($0).inserted }
    }

    /// The least or greatest of numbers or of texts; `nil` if there are none or both kinds.
    private func extreme(of values: [Node], isLeast: Bool) -> Node? {
        let values = values.filter { !$0.isNull }
        let numbers = values.compactMap { value in decimal(value).map { (value, $0) } }
        if numbers.count == values.count {
            let found =
                isLeast ? numbers.min { $0.1 < $1.1 } : numbers.max { $0.1 < $1.1 }
            return found?.0
        }
        let texts = values.compactMap { value in value.string.map { (value, $0) } }
        guard texts.count == values.count else { return nil }
        return (isLeast ? texts.min { $0.1 < $1.1 } : texts.max { $0.1 < $1.1 })?.0
    }

    /// The number of a value, or of its text.
    private func decimal(_ node: Node) -> Decimal? {
        guard let text = node.numberText ?? node.string?.trimmed else { return nil }
        return DecimalText.read(Array(text.utf8).span)
    }

    private func number(_ value: Decimal) -> Node? {
        var builder = DocumentBuilder()
        do { try builder.number(text: "\(value)") } catch { return nil }
        return builder.finish().root
    }
}
