// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Collection operators: one value made of the elements of a list.

extension SourceResolver {
    /// A value that an operator cannot use, which takes the place of its result.
    struct UnsuitableValue {
        let node: Node
        /// A description of the values that the operator uses.
        let expected: String

        /// Returns a Boolean value that indicates whether a looked up value is the unsuitable one.
        func isOf(_ value: Node) -> Bool {
            value.storage === node.storage && value.index == node.index
        }
    }

    /// Returns the result of an operator; an unsuitable value, which ``unsuitableValue`` describes; or
    /// `nil` for no value.
    func collected(
        by collection: CollectionOperator, _ inner: SourcePath, of position: Position
    ) -> Node? {
        let elements: [Node]
        switch position {
        case .list(let nodes): elements = nodes
        case .one(let node) where node.kind == .array: elements = Array(node.elements)
        case .one(let node):
            if node.isNull { return nil }
            guard collection == .count, node.kind == .object else {
                return reject(node, "a list", collection)
            }
            return number(Decimal(node.count))
        }
        let result = result(of: collection, inner, elements)
        return unsuitableValue?.node ?? result
    }

    private func result(
        of collection: CollectionOperator, _ inner: SourcePath, _ elements: [Node]
    ) -> Node? {
        switch collection {
        case .count: return number(Decimal(elements.count))
        case .sum, .avg:
            var numbers: [Decimal] = []
            for value in values(at: inner, of: elements) where !value.isNull {
                guard let number = decimal(value) else {
                    return reject(value, "numbers", collection)
                }
                numbers.append(number)
            }
            let sum = numbers.reduce(0, +)
            if collection == .sum { return number(sum) }
            return numbers.isEmpty ? nil : number(sum / Decimal(numbers.count))
        case .min, .max: return extreme(of: values(at: inner, of: elements), collection)
        case .unionOfObjects: return Self.list(of: values(at: inner, of: elements))
        case .distinctUnionOfObjects:
            return Self.list(of: distinct(values(at: inner, of: elements)))
        case .unionOfArrays:
            return Self.list(of: elements.flatMap { union(inner, of: $0, collection) })
        case .distinctUnionOfArrays, .distinctUnionOfSets:
            return Self.list(of: distinct(elements.flatMap { union(inner, of: $0, collection) }))
        }
    }

    /// Notes that an operator cannot use a value, and returns the value.
    private func reject(
        _ node: Node, _ expected: String, _ collection: CollectionOperator
    ) -> Node {
        unsuitableValue =
            unsuitableValue
            ?? UnsuitableValue(node: node, expected: "\(expected) for @\(collection.rawValue)")
        return node
    }

    private func union(
        _ inner: SourcePath, of element: Node, _ collection: CollectionOperator
    ) -> [Node] {
        if element.isNull { return [] }
        guard element.kind == .array else { return [reject(element, "lists", collection)] }
        return values(at: inner, of: Array(element.elements))
    }

    /// The values that a source leads to in each of several values, where there are any.
    private func values(at inner: SourcePath, of elements: [Node]) -> [Node] {
        if inner.components.isEmpty || inner.components == [.key("self")] { return elements }
        // Each lookup clears the value that an operator inside of it has rejected.
        var rejected = unsuitableValue
        defer { unsuitableValue = rejected }
        return elements.compactMap { element in
            let found = value(at: inner, of: element)
            rejected = rejected ?? unsuitableValue
            return found
        }
    }

    private func distinct(_ nodes: [Node]) -> [Node] {
        var seen = Set<Node>()
        return nodes.filter { seen.insert($0).inserted }
    }

    /// The least or greatest of numbers or of texts; `nil` if there are none.
    private func extreme(of values: [Node], _ collection: CollectionOperator) -> Node? {
        let values = values.filter { !$0.isNull }
        let isLeast = collection == .min
        let numbers = values.compactMap { value in decimal(value).map { (value, $0) } }
        if numbers.count == values.count {
            let found =
                isLeast ? numbers.min { $0.1 < $1.1 } : numbers.max { $0.1 < $1.1 }
            return found?.0
        }
        let texts = values.compactMap { value in value.string.map { (value, $0) } }
        if texts.count == values.count {
            return (isLeast ? texts.min { $0.1 < $1.1 } : texts.max { $0.1 < $1.1 })?.0
        }
        // Text that is a number is one of a mixed list as well, so the other text is unsuitable.
        let isOfNumbers = values.first.map { decimal($0) != nil } ?? true
        let other = values.first { isOfNumbers ? decimal($0) == nil : $0.string == nil }
        return other.map { reject($0, "only numbers or only text", collection) }
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
