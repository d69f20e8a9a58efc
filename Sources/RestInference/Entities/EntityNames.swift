// SPDX-License-Identifier: Apache-2.0

/// The names of entities, from the names of resources and keys.
enum EntityNames {
    /// Nouns that name an entity better than the role of one object.
    private static let nouns = [
        "user", "person", "account", "customer", "author", "member", "repository", "repo",
        "company",
        "organization", "team", "project", "product", "category", "tag", "label",
    ]
    /// Names of resources that do not say what their records are.
    private static let vague: Set<String> = ["search", "query", "find", "all", "list", "records"]
    /// Keys that name a role, never an entity.
    private static let roles: Set<String> = [
        "owner", "creator", "assignee", "reviewer", "actor", "committer", "parent", "source",
        "head",
        "base", "data", "item", "node", "record", "result", "value", "object", "target", "from",
        "to",
    ]

    /// Returns the name of a group of places.
    ///
    /// - Parameters:
    ///   - sites: The places of the group.
    ///   - objects: The merged facts about their objects.
    ///   - owner: The name of the entity that contains objects without an identity; `nil` for others.
    /// - Returns: The name, not yet distinct.
    static func name(_ sites: [EntitySite], _ objects: ObjectStatistics, owner: String?) -> String {
        // The path of one object can end with its name, so that a key in records names it better.
        let hasKey = sites.contains { !$0.isRoot }
        let root =
            sites.first { $0.isRoot && $0.isNamed } ?? (hasKey ? nil : sites.first(where: \.isRoot))
        let names = Set(sites.map { Words.entityName($0.name) })
        let isVague = root.map {
            vague.contains($0.name.lowercased()) || RecordsLocator.isEnvelope($0.name)
        }
        if let type = typeName(objects), isVague ?? true || names.count > 1 { return type }
        if let root { return Words.entityName(root.name) }
        if let owner, let first = sites.first {
            let name = Words.entityName(first.name)
            return name.hasPrefix(owner) && name != owner ? name : owner + name
        }
        var counts: [String: Int] = [:]
        for site in sites where !site.isRoot {
            counts[Words.entityName(site.name), default: 0] += site.objects.count
        }
        for noun in nouns {
            let name = Words.entityName(noun)
            if counts[name] != nil { return name }
        }
        if counts.keys.allSatisfy(IdentityNames.isRole), counts.count > 1 { return "User" }
        let best = counts.max { left, right in
            let isRole = (
                roles.contains(left.key.lowercased()), roles.contains(right.key.lowercased())
            )
            if isRole.0 != isRole.1 { return isRole.0 }
            return (left.value, right.key) < (right.value, left.key)
        }
        return best?.key ?? "Record"
    }

    /// Keys whose values name the kind of an object also in lower case.
    private static let explicit: Set<String> = [
        "object", "resource_type", "object_type", "entity_type",
    ]

    /// Returns the name in a member `type` that has the same value in all objects, such as `User`.
    private static func typeName(_ objects: ObjectStatistics) -> String? {
        for key in [
            "type", "object", "_type", "kind", "__typename", "resource_type", "object_type",
            "entity_type",
        ] {
            guard let field = objects[key], field.texts.count == objects.count, objects.count > 0,
                field.examples.count == 1 || key == "type" && field.examples.contains("User"),
                let example = field.examples.contains("User") ? "User" : field.examples.first,
                example.count >= 3, example.first?.isUppercase == true || explicit.contains(key),
                example.allSatisfy({ $0.isLetter || $0 == "_" || $0 == "-" })
            else { continue }
            return Words.entityName(example)
        }
        return nil
    }
}
