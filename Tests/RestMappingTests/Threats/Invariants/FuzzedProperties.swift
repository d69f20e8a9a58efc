// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// Properties of the models, as bits at their indices in the tables.
struct FuzzedProperties: Sendable {
    var leaf: UInt16 = 0
    var branch: UInt16 = 0

    /// Inserts the properties that a mapping names.
    mutating func insert(_ mapping: ObjectMapping) {
        var bits: UInt16 = 0
        for (index, property) in mapping.table.properties.enumerated()
        where mapping.propertyMapping(to: property.name) != nil
            || mapping.nestingAttribute == property.name
        {
            bits |= 1 << UInt16(index)
        }
        if mapping.table.name == "Leaf" { leaf |= bits } else { branch |= bits }
    }

    /// Throws an error if an object or its related objects have other properties assigned.
    func check(_ object: any Mapped) throws(BrokenInvariant) {
        switch object {
        case let leaf as Leaf: try check(leaf)
        case let branch as Branch: try check(branch)
        default: throw BrokenInvariant(description: "an object of a type that is mapped")
        }
    }

    private func check(_ object: Leaf) throws(BrokenInvariant) {
        let other = object.changed & ~leaf
        try require(
            other == 0, "only declared properties are assigned: \(names(other, Leaf.properties))")
    }

    private func check(_ object: Branch) throws(BrokenInvariant) {
        let other = object.changed & ~branch
        try require(
            other == 0,
            "only declared properties are assigned: \(names(other, Branch.properties))")
        if let leaf = object.leaf { try check(leaf) }
        for leaf in object.leaves { try check(leaf) }
        if let parent = object.parent { try check(parent) }
        for branch in object.branches { try check(branch) }
    }

    private func names(_ bits: UInt16, _ table: PropertyTable) -> [String] {
        table.properties.indices.filter { bits & 1 << UInt16($0) != 0 }
            .map { table.properties[$0].name }
    }
}
