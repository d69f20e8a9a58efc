// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The order of the resources of a definition.
enum ResourceOrder {
    /// Returns the resources in levels, each of which has the parents of the next.
    ///
    /// - Throws: ``MirrorError`` with code `invalidDefinition` for parents in a circle.
    static func levels(of definition: Definition) throws(MirrorError) -> [[ResourceDefinition]] {
        var rest = definition.resources
        var known: Set<String> = []
        var levels: [[ResourceDefinition]] = []
        while !rest.isEmpty {
            let level = rest.filter { resource in
                resource.parents.allSatisfy { parent in
                    switch parent.source {
                    case .resource(let name): known.contains(name)
                    // A query can read the rows of every other resource.
                    case .query: rest.allSatisfy { $0.parents.contains { $0.source.isQuery } }
                    case .values: true
                    }
                }
            }
            guard !level.isEmpty else {
                throw MirrorError(
                    .invalidDefinition,
                    details: [
                        "the parents of \(rest.map(\.name).joined(separator: ", ")) are missing or in a circle"
                    ])
            }
            levels.append(level)
            known.formUnion(level.map(\.name))
            rest.removeAll { known.contains($0.name) }
        }
        return levels
    }
}

extension ParentDefinition.Source {
    fileprivate var isQuery: Bool { if case .query = self { true } else { false } }
}
