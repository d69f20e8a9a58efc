// SPDX-License-Identifier: Apache-2.0

import RestDocument

// What related objects ask of the object around them, by `@metadata.mapping.parentObject`.

/// Values that objects took, kept while the objects related to them are mapped.
///
/// Not Sendable: lives in the stack of one run.
struct HeldValues {
    private struct Holder {
        let depth: Int
        var values: [String: Document] = [:]
    }

    /// The objects around the one that is mapped, of which values are asked, the innermost last.
    private var holders: [Holder] = []

    /// Begins with an object that so many others are around.
    mutating func begin(at depth: Int) { holders.append(Holder(depth: depth)) }

    mutating func end() { holders.removeLast() }

    mutating func hold(_ value: Document?, of property: String, at depth: Int) {
        guard let last = holders.lastIndex(where: { $0.depth == depth }) else { return }
        holders[last].values[property] = value
    }

    func value(of property: String, at depth: Int) -> Document? {
        holders.last { $0.depth == depth }?.values[property]
    }

    /// Writes single values; nobody's objects.
    private static let plan = try? ParameterPlan(
        RequestMapping(table: PropertyTable(entity: "", [])))

    /// What a request would send of a value; nil if it has no representation.
    static func document<Value: MappableValue>(of value: Value) -> Document? {
        try? plan?.runToDocument { writer throws(MappingFailure) in try writer.write(value) }
    }
}

extension SourcePath {
    /// The property of the object around that this begins with, and where it leads inside of its
    /// value; nil for any other source.
    var parentProperty: (name: String, rest: SourcePath)? {
        let prefix: [Component] = [.metadata, .key("mapping"), .key("parentObject")]
        guard components.starts(with: prefix), components.count > prefix.count,
            case .key(let name) = components[prefix.count]
        else { return nil }
        return (name, SourcePath(Array(components.dropFirst(prefix.count + 1))))
    }
}

extension MappingSource {
    /// Whether related objects ask what the property became.
    package var isHeld: Bool { unsafe step.pointee.isSpecial && detail.isHeld }

    /// Keeps what the property became for the objects related to the one that it is of.
    package func hold(_ value: some MappableValue) {
        let value = HeldValues.document(of: value)
        unsafe context.held.hold(value, of: detail.destination, at: frame.pointee.depth)
    }

    /// The value a source leads to that begins with a property of the object around this one.
    func heldValue(_ property: String, _ rest: SourcePath) -> Node? {
        let depth = unsafe frame.pointee.depth - 1
        guard let value = context.held.value(of: property, at: depth) else { return nil }
        return rest.components.isEmpty ? value.root : context.lookup.value(at: rest, of: value.root)
    }

    /// The related objects that ask the object around them, with the values they are mapped from.
    func heldBack() -> [(step: Int, value: Node)] {
        (rule?.askingSteps ?? []).compactMap { source, step in
            let value =
                source.components.isEmpty
                ? (hasKey(ofObjectAt: step) ? context.lookup.representation(element) : nil)
                : context.lookup.value(at: source, of: element)
            return value.map { (step, $0) }
        }
    }
}
