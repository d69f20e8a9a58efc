// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A mapping of one of the models, or a dynamic mapping of both, built from an input.
struct FuzzedMapping {
    /// The mapping.
    let mapping: Mapping
    /// The default mappings of relationships, which may include the mapping itself.
    let defaults: [ObjectMapping]
    /// The properties that any of the mappings names.
    let declared: FuzzedProperties

    /// Sources of values: keys, paths into lists, and paths that leave the object.
    private static let sources = [
        "id", "name", "count", "small", "ratio", "is_open", "day", "price", "kind", "tags",
        "scores", "label", "leaf", "leaves", "parent", "branches", "a.b", "leaf.name",
        "leaves.count", "leaves[0].name", "leaves.@count", "tags.@count", "branches.id",
        "@metadata.page", "@metadata.user.name", "@root.id", "@parent.id", "@parent.label", "",
        "é", "a\\.b", "{label}", "{name}.id", "(id)", "branches.leaves.tags", "ratio.@sum",
        "leaves.ratio.@max", "leaves.ratio.@avg", "@parent.@parent.id",
        "@metadata.mapping.parentObject.label", "@metadata.mapping.parentObject.id",
    ].compactMap { try? SourcePath(parsing: $0) }

    /// Sources of related objects; some lead back, or to the same value as another.
    private static let relatedSources: KeyValuePairs = [
        "leaf": ["leaf", "a", "leaves[1]", "branches.leaf", "", "@parent", "leaves"],
        "leaves": ["leaves", "a.b", "tags", "branches.leaves", "id", "@root", "leaf"],
        "parent": ["parent", "branches", "", "@root", "@parent", "leaf", "parent.parent"],
        "branches": ["branches", "label", "", "@root.branches", "@parent", "parent", "leaves"],
    ]

    init(_ source: inout ByteSource) {
        let kind = source.byte()
        var declared = FuzzedProperties()
        let leaf = Self.leaf(&source, &declared)
        let branch = Self.branch(&source, leaf, &declared)
        switch kind % 4 {
        case 0: mapping = .object(leaf)
        case 1: mapping = .object(branch)
        default:
            var dynamic = DynamicMapping()
            dynamic.add(MappingMatcher(at: "kind", equals: "small", mapping: leaf))
            dynamic.add(MappingMatcher(at: "branches", is: .array, mapping: branch))
            dynamic.forcesCollection = kind & 4 != 0
            if kind & 8 != 0 {
                dynamic.add(MappingMatcher(mapping: leaf) { $0.count > 2 })
            }
            mapping = .dynamic(dynamic)
        }
        defaults = kind & 16 == 0 ? [] : [leaf, branch]
        self.declared = declared
    }

    private static func leaf(
        _ source: inout ByteSource, _ declared: inout FuzzedProperties
    ) -> ObjectMapping {
        var mapping = ObjectMapping(table: Leaf.properties)
        options(&mapping, &source)
        addAttributes(to: &mapping, &source)
        declared.insert(mapping)
        return mapping
    }

    private static func branch(
        _ source: inout ByteSource, _ leaf: ObjectMapping, _ declared: inout FuzzedProperties
    ) -> ObjectMapping {
        var mapping = ObjectMapping(table: Branch.properties)
        options(&mapping, &source)
        mapping.add(AttributeMapping(["id", "a.b", "@parent.id"].source(source.byte()), to: "id"))
        addAttributes(to: &mapping, &source)
        for (name, paths) in relatedSources {
            let choice = source.byte()
            guard choice & 1 == 0 else { continue }
            let related: Mapping? =
                name.hasPrefix("lea") && choice & 2 == 0 ? .object(leaf) : nil
            var relationship = RelationshipMapping(
                paths.source(source.byte()), to: name, mapping: related)
            if choice & 4 != 0 { relationship.assignment = choice & 8 == 0 ? .union : .replace }
            mapping.add(relationship)
            // A default mapping names all properties, as do the mappings it leads to.
            if related == nil {
                declared.leaf = .max
                if !name.hasPrefix("lea") { declared.branch = .max }
            }
        }
        declared.insert(mapping)
        return mapping
    }

    private static func addAttributes(
        to mapping: inout ObjectMapping, _ source: inout ByteSource
    ) {
        let properties = mapping.table.properties.map(\.name)
        for _ in 0..<(source.byte() & 0x0F) {
            // Usually each property once, because naming one twice is an error.
            let destination =
                mapping.table.properties[Int(source.byte()) % properties.count]
            guard destination.relation == nil || source.byte() == 0 else { continue }
            guard mapping.propertyMapping(to: destination.name) == nil || source.byte() == 0 else {
                continue
            }
            let path = sources[Int(source.byte()) % sources.count]
            var attribute = AttributeMapping(path, to: destination.name)
            let policy = source.byte()
            if policy & 1 != 0 { attribute.policy = Self.policy(policy >> 1) }
            mapping.add(attribute)
        }
    }

    private static func options(_ mapping: inout ObjectMapping, _ source: inout ByteSource) {
        let (flags, policy) = (source.byte(), source.byte())
        mapping.assignsDefaultForMissing = flags & 1 != 0
        mapping.assignsNilForMissingRelationships = flags & 2 != 0
        mapping.forcesCollection = flags & 4 != 0
        if flags & 8 != 0 {
            mapping.nestingAttribute = mapping.table.properties[Int(flags >> 4) % 2].name
        }
        mapping.policy = Self.policy(policy)
        switch policy >> 4 & 3 {
        case 0: mapping.conversion = .strict
        case 1: mapping.conversion = .lenient
        case 2: mapping.conversion.dates = DateFormats([.rfc1123, .seconds, .dotNet()])
        default: break
        }
    }

    private static func policy(_ bits: UInt8) -> IssuePolicy {
        IssuePolicy(
            invalidValue: bits & 1 == 0 ? .drop : .failObject,
            invalidElement: bits & 2 == 0 ? .failValue : .drop,
            invalidObject: bits & 4 == 0 ? .drop : .fail)
    }
}

extension [String] {
    fileprivate func source(_ choice: UInt8) -> SourcePath {
        (try? SourcePath(parsing: self[Int(choice) % count])) ?? .whole
    }
}
