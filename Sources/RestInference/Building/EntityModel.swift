// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The entities: groups of places with their names, identities and facts.
struct EntityModel {
    struct Group {
        let name: String
        /// The names of the keys that identify the objects; empty for objects that belong to others.
        let identity: [String]
        let identityEvidence: Evidence?
        let objects: ObjectStatistics
        let sites: [Int]
        let isRoot: Bool
        let resourceName: String?
    }

    private(set) var groups: [Group] = []
    let references: ReferenceFinder
    /// The group of each place.
    private let groupOfSite: [Int: Int]
    /// The groups of the objects inside of a group's objects.
    private let children: [Child: Int]

    private struct Child: Hashable {
        let group: Int
        let path: DocumentPath
    }

    init(_ sites: [EntitySite], _ clusters: EntityClusters) {
        var distinct = DistinctNames()
        var groupOfSite: [Int: Int] = [:]
        let members = clusters.groups
        for (index, group) in members.enumerated() {
            for site in group { groupOfSite[site] = index }
        }
        // The names of records come first, so that no other entity takes them.
        let order = members.indices.sorted { left, right in
            let isRoot = (
                members[left].contains { sites[$0].isRoot },
                members[right].contains { sites[$0].isRoot }
            )
            return isRoot.0 == isRoot.1 ? left < right : isRoot.0
        }
        var names = Array(repeating: "", count: members.count)
        for index in order {
            let group = members[index].map { sites[$0] }
            let objects = clusters.objects(of: members[index][0])
            let isOwned = group.allSatisfy { !$0.isRoot && $0.identity == nil }
            let owner =
                isOwned ? group[0].parent.flatMap { groupOfSite[$0] }.map { names[$0] } : nil
            names[index] = distinct.distinct(
                EntityNames.name(group, objects, owner: owner))
        }
        var children: [Child: Int] = [:]
        for (index, site) in sites.enumerated() {
            guard let parent = site.parent.flatMap({ groupOfSite[$0] }),
                let group = groupOfSite[index]
            else { continue }
            children[Child(group: parent, path: site.path)] = group
        }
        groups = members.enumerated().map { index, group in
            let choices = group.compactMap { sites[$0].identity }
            let objects = clusters.objects(of: group[0])
            // The place with most objects shows best what is unique.
            let best =
                group.filter { sites[$0].identity != nil }
                .max { sites[$0].objects.count < sites[$1].objects.count }
                .flatMap { sites[$0].identity } ?? choices.first
            var reason = best?.evidence
            if let keys = best?.keys, keys.count == 1, let identity = objects.identity(keys[0]) {
                reason?.text = identity.text(of: keys[0])
            }
            return Group(
                name: names[index], identity: best?.keys ?? [], identityEvidence: reason,
                objects: objects, sites: group, isRoot: group.contains { sites[$0].isRoot },
                resourceName: group.first { sites[$0].isRoot }.map { sites[$0].name })
        }
        self.groupOfSite = groupOfSite
        self.children = children
        references = ReferenceFinder(
            groups.map { group in
                ReferenceFinder.Target(
                    name: group.name, resourceName: group.resourceName, identity: group.identity,
                    objects: group.objects, isRoot: group.isRoot)
            })
    }

    /// Returns the group of a place.
    func group(ofSite site: Int) -> Group? { groupOfSite[site].map { groups[$0] } }

    /// Returns the group of the objects at a path of a group's objects.
    func child(of group: Int, at path: DocumentPath) -> Group? {
        children[Child(group: group, path: path)].map { groups[$0] }
    }
}
