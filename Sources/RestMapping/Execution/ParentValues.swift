// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Values of parent objects, kept while the objects related to them are mapped.
///
/// Related objects read them as `@metadata.mapping.parentObject`.
///
/// Not Sendable: lives on the stack of one run.
struct ParentValues {
    private struct Parent {
        let depth: Int
        var values: [String: Document] = [:]
    }

    /// The parents of the current object whose values are read, the innermost last.
    private var parents: [Parent] = []

    /// Begins a parent object at a nesting depth.
    mutating func push(at depth: Int) { parents.append(Parent(depth: depth)) }

    mutating func pop() { parents.removeLast() }

    mutating func set(_ value: Document?, of property: String, at depth: Int) {
        guard let last = parents.lastIndex(where: { $0.depth == depth }) else { return }
        parents[last].values[property] = value
    }

    func value(of property: String, at depth: Int) -> Document? {
        parents.last { $0.depth == depth }?.values[property]
    }
}

extension SourcePath {
    /// The property of the parent object that the source begins with, and the rest of the source inside
    /// its value; `nil` for any other source.
    var parentProperty: (name: String, rest: SourcePath)? {
        let prefix: [Component] = [.metadata, .key("mapping"), .key("parentObject")]
        guard components.starts(with: prefix), components.count > prefix.count,
            case .key(let name) = components[prefix.count]
        else { return nil }
        return (name, SourcePath(Array(components.dropFirst(prefix.count + 1))))
    }
}
