// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A mapping for one of the models, or several to choose from, that an input decides.
struct FuzzedMapping {
    /// The mapping.
    let mapping: Mapping
    /// Those that relationships fall back on, which may be the mapping itself.
    let defaults: [ObjectMapping]
    private var names: [String: Set<String>] = [:]

    /// Where values come from; keys, ways into lists, and the steps that leave the object.
    private static let sources = [
        "id", "name", "count", "small", "ratio", "is_open", "day", "price", "kind", "tags",
        "scores", "label", "leaf", "leaves", "parent", "branches", "a.b", "leaf.name",
        "leaves.count", "leaves[0].name", "leaves.@count", "tags.@count", "branches.id",
        "@metadata.page", "@metadata.user.name", "@root.id", "@parent.id", "@parent.label", "",
        "é", "a\\.b", "{label}", "{name}.id", "(id)", "branches.leaves.tags", "ratio.@sum",
        "leaves.ratio.@max", "leaves.ratio.@avg", "@parent.@parent.id",
    ].compactMap { try? SourcePath(parsing: $0) }

    /// Sources of related objects; some lead back, or to where another leads.
    private static let relatedSources: KeyValuePairs = [
        "leaf": ["leaf", "a", "leaves[1]", "branches.leaf", "", "@parent", "leaves"],
        "leaves": ["leaves", "a.b", "tags", "branches.leaves", "id", "@root", "leaf"],
        "parent": ["parent", "branches", "", "@root", "@parent", "leaf", "parent.parent"],
        "branches": ["branches", "label", "", "@root.branches", "@parent", "parent", "leaves"],
    ]

    init(_ source: inout ByteSource) {
        let kind = source.byte()
        var names: [String: Set<String>] = ["Leaf": [], "Branch": []]
        let leaf = Self.leaf(&source, &names)
        let branch = Self.branch(&source, leaf, &names)
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
        self.names = names
    }

    /// The properties of a model that any of the mappings names.
    func declared(_ model: String) -> Set<String> { names[model] ?? [] }

    private static func leaf(
        _ source: inout ByteSource, _ names: inout [String: Set<String>]
    ) -> ObjectMapping {
        var mapping = ObjectMapping(table: Leaf.properties)
        options(&mapping, &source)
        addAttributes(to: &mapping, &source)
        note(mapping, &names)
        return mapping
    }

    private static func branch(
        _ source: inout ByteSource, _ leaf: ObjectMapping, _ names: inout [String: Set<String>]
    ) -> ObjectMapping {
        var mapping = ObjectMapping(table: Branch.properties)
        options(&mapping, &source)
        mapping.add(AttributeMapping(["id", "a.b", "@parent.id"].source(source.byte()), to: "id"))
        addAttributes(to: &mapping, &source)
        for (name, places) in relatedSources {
            let choice = source.byte()
            guard choice & 1 == 0 else { continue }
            let related: Mapping? =
                name.hasPrefix("lea") && choice & 2 == 0 ? .object(leaf) : nil
            var line = RelationshipMapping(
                places.source(source.byte()), to: name, mapping: related)
            if choice & 4 != 0 { line.assignment = choice & 8 == 0 ? .union : .replace }
            mapping.add(line)
            // A default mapping names everything.
            if related == nil {
                let table = name.hasPrefix("lea") ? Leaf.properties : Branch.properties
                names[table.name, default: []].formUnion(table.properties.map(\.name))
            }
        }
        note(mapping, &names)
        return mapping
    }

    private static func addAttributes(
        to mapping: inout ObjectMapping, _ source: inout ByteSource
    ) {
        let properties = mapping.table.properties.map(\.name)
        for _ in 0..<(source.byte() & 0x0F) {
            // Mostly each property once, as a property that is named twice is a mistake.
            let destination =
                mapping.table.properties[Int(source.byte()) % properties.count]
            guard destination.relation == nil || source.byte() == 0 else { continue }
            guard mapping.propertyMapping(to: destination.name) == nil || source.byte() == 0 else {
                continue
            }
            let place = sources[Int(source.byte()) % sources.count]
            var attribute = AttributeMapping(place, to: destination.name)
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

    private static func note(_ mapping: ObjectMapping, _ names: inout [String: Set<String>]) {
        var declared = Set(mapping.propertyMappings.map(\.destination))
        if let nesting = mapping.nestingAttribute { declared.insert(nesting) }
        names[mapping.table.name, default: []].formUnion(declared)
    }
}

extension [String] {
    fileprivate func source(_ choice: UInt8) -> SourcePath {
        (try? SourcePath(parsing: self[Int(choice) % count])) ?? .whole
    }
}

/// A document that has what the mappings look for.
enum FuzzedDocument {
    private static let keys = [
        "id", "name", "count", "small", "ratio", "is_open", "day", "price", "kind", "tags",
        "scores", "label", "leaf", "leaves", "parent", "branches", "a", "b", "é", "a.b", "",
        "__proto__", "description", "isOpen",
    ]

    private static let values = [
        "null", "true", "false", "0", "1", "-7", "256", "1.5", "1e400", "9223372036854775808",
        "0.1", "\"\"", "\" \"", "\"text\"", "\"12\"", "\"small\"", "\"large\"", "\"nowhere\"",
        "\"2024-05-01T12:00:00Z\"", "\"Sun, 06 Nov 1994 08:49:37 GMT\"", "\"/Date(1000)/\"",
        "\"19.99\"", "[]", "[1,\"a\",null]", "{}", "{\"a\":1}", "{\"x\":{\"id\":2}}", "\"true\"",
        "[{\"id\":3},{\"id\":\"4\",\"name\":\"n\"}]", "{\"id\":5,\"leaf\":{\"name\":1}}", "-0",
    ]

    /// The input itself where it is JSON, else one that it decides.
    static func document(of input: [UInt8]) -> Document? {
        var limits = ParseLimits()
        limits.depth = 24
        if let document = try? Document(parsing: input, limits: limits) { return document }
        var source = ByteSource(input)
        var text = ""
        append(&source, 0, to: &text)
        return try? Document(parsing: text, limits: limits)
    }

    private static func append(_ source: inout ByteSource, _ depth: Int, to text: inout String) {
        let choice = source.byte()
        switch choice & 7 {
        case 0...1 where depth < 8 && !source.isEmpty:
            text += "["
            for position in 0...(choice >> 3 & 3) {
                if position > 0 { text += "," }
                append(&source, depth + 1, to: &text)
            }
            text += "]"
        case 2...4 where depth < 8 && !source.isEmpty:
            text += "{"
            for position in 0...(choice >> 3 & 7) {
                if position > 0 { text += "," }
                text += "\"\(keys[Int(source.byte()) % keys.count])\":"
                append(&source, depth + 1, to: &text)
            }
            text += "}"
        default: text += values[Int(source.byte()) % values.count]
        }
    }
}
