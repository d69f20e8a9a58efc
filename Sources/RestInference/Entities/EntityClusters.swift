// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The places of objects, grouped by entity: by name, shape and content.
struct EntityClusters {
    private let sites: [EntitySite]
    private var leaders: [Int]
    /// The merged facts of each group, by its leader.
    private var merged: [Int: ObjectStatistics]

    init(_ sites: [EntitySite]) {
        self.sites = sites
        leaders = Array(sites.indices)
        merged = Dictionary(
            uniqueKeysWithValues: sites.enumerated().map { ($0.offset, $0.element.objects) })
        joinRoots()
        joinNested()
        joinChildren()
    }

    /// The groups of places, in the order of their first one.
    var groups: [[Int]] {
        var groups: [Int: [Int]] = [:]
        for index in sites.indices { groups[leader(of: index), default: []].append(index) }
        return groups.values.sorted { $0[0] < $1[0] }
    }

    /// Returns the merged facts about the group of a place.
    func objects(of site: Int) -> ObjectStatistics {
        merged[leader(of: site)] ?? sites[site].objects
    }

    private func leader(of index: Int) -> Int {
        var index = index
        while leaders[index] != index { index = leaders[index] }
        return index
    }

    private mutating func join(_ left: Int, _ right: Int) {
        let (first, second) = (
            min(leader(of: left), leader(of: right)), max(leader(of: left), leader(of: right))
        )
        guard first != second else { return }
        leaders[second] = first
        if let other = merged.removeValue(forKey: second) { merged[first]?.merge(other) }
    }

    // MARK: Rules

    /// Joins resources with the same records.
    private mutating func joinRoots() {
        let roots = sites.indices.filter { sites[$0].isRoot }
        for (position, left) in roots.enumerated() {
            for right in roots.dropFirst(position + 1) {
                let shape = Shape(sites[left], sites[right])
                let isSameName = Words.areEqual(sites[left].name, sites[right].name)
                if isObject(left, of: right) || isObject(right, of: left), shape.jaccard >= 0.6,
                    shape.hasEqualIdentity
                {
                    join(left, right)
                    continue
                }
                if isSameName && shape.containment >= 0.5 && shape.hasEqualIdentity
                    || shape.jaccard >= 0.8 && shape.equalContents > 0
                        && shape.differentContents == 0
                {
                    join(left, right)
                }
            }
        }
    }

    /// Returns a Boolean value that indicates whether a resource is one object of a list, as `labels/bug`
    /// is one of
    /// `labels`.
    private func isObject(_ single: Int, of list: Int) -> Bool {
        !sites[single].isList && sites[list].isList
            && sites[single].otherNames.first.map { Words.areEqual($0, sites[list].name) } == true
    }

    /// Joins objects inside of records with the records of a resource, or with each other.
    private mutating func joinNested() {
        let nested = sites.indices.filter { !sites[$0].isRoot && sites[$0].identity != nil }
            .sorted { left, right in
                let (first, second) = (sites[left].objects, sites[right].objects)
                return (first.keys.count, first.count, right) > (
                    second.keys.count, second.count, left
                )
            }
        var joined: [Int] = sites.indices.filter { sites[$0].isRoot }
        for index in nested {
            var best: (site: Int, score: Double)?
            for other in joined {
                guard let score = score(index, other) else { continue }
                if score > best?.score ?? 0 { best = (other, score) }
                // Equal objects prove it, also for groups that had nothing in common before.
                if score >= 1.2, !sites[other].isRoot { join(index, other) }
            }
            if let best { join(index, best.site) }
            joined.append(index)
        }
    }

    /// Returns how well two places fit; `nil` if they are of different entities.
    private func score(_ left: Int, _ right: Int) -> Double? {
        let (first, second) = (sites[left], sites[right])
        let shape = Shape(first, second, objects(of: right))
        guard shape.hasEqualIdentity else { return nil }
        if shape.differentContents > shape.equalContents { return nil }
        let isSameName =
            Words.areEqual(first.name, second.name) || Self.isEnding(first.name, of: second.name)
            || IdentityNames.isRole(first.name, of: Words.entityName(second.name))
        let contents = shape.equalContents > 0 ? 0.3 : 0
        if isSameName, shape.containment >= 0.5 || shape.sharedCount >= 3 {
            return 1 + shape.jaccard + contents
        }
        // Equal members with other types, such as references to users and to teams, are of different entities.
        if shape.hasDifferentTypes { return nil }
        if shape.jaccard >= 0.7, shape.sharedCount >= 4 || contents > 0 && shape.sharedCount >= 3 {
            return shape.jaccard + contents
        }
        // Long identities are not equal by coincidence.
        if shape.hasLongIdentity, shape.sharedIdentityCount >= 2, shape.containment >= 0.6 {
            return 0.8 + shape.jaccard
        }
        // URLs of the same form are of the same collection.
        if shape.hasEqualURLs, shape.containment >= 0.9, shape.sharedCount >= 3 {
            return 0.7 + shape.jaccard
        }
        // A part of a larger object: most of its members are members of the other one.
        if shape.containment >= 0.9, shape.sharedCount >= 5 {
            return 0.5 * shape.containment + contents
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a name ends with another one, as `head_repository`
    /// does.
    private static func isEnding(_ left: String, of right: String) -> Bool {
        let (first, second) = (
            Words.words(of: left).map(Words.singular), Words.words(of: right).map(Words.singular)
        )
        let (long, short) = first.count > second.count ? (first, second) : (second, first)
        return !short.isEmpty && long.suffix(short.count) == short[...]
    }

    /// Joins the objects at equal paths of joined places, until nothing changes.
    private mutating func joinChildren() {
        var changed = true
        while changed {
            changed = false
            var known: [ChildKey: Int] = [:]
            for index in sites.indices {
                guard let parent = sites[index].parent else { continue }
                let key = ChildKey(
                    parent: leader(of: parent), path: sites[index].path,
                    identity: sites[index].identity?.keys ?? [])
                if let other = known[key] {
                    if leader(of: other) != leader(of: index) {
                        join(other, index)
                        changed = true
                    }
                } else {
                    known[key] = index
                }
            }
        }
    }

    private struct ChildKey: Hashable {
        let parent: Int
        let path: DocumentPath
        let identity: [String]
    }
}

/// A comparison of the objects at two places.
private struct Shape {
    let sharedCount: Int
    /// The share of common keys in all keys.
    let jaccard: Double
    /// The share of common keys in those of the smaller object.
    let containment: Double
    let hasEqualIdentity: Bool
    let equalContents: Int
    let differentContents: Int
    /// A Boolean value that indicates whether identities are numbers or texts of at least six digits.
    let hasLongIdentity: Bool
    /// A Boolean value that indicates whether each place has one type, and another one than the other place.
    let hasDifferentTypes: Bool
    /// A Boolean value that indicates whether the URLs of the objects have the same form.
    let hasEqualURLs: Bool
    let sharedIdentityCount: Int

    init(_ left: EntitySite, _ right: EntitySite, _ rightObjects: ObjectStatistics? = nil) {
        let objects = rightObjects ?? right.objects
        let (first, second) = (Set(left.objects.keys), Set(objects.keys))
        sharedCount = first.intersection(second).count
        jaccard = Double(sharedCount) / Double(max(1, first.union(second).count))
        containment = Double(sharedCount) / Double(max(1, min(first.count, second.count)))
        guard let leftKeys = left.identity?.keys, let rightKeys = right.identity?.keys,
            leftKeys == rightKeys,
            let leftField = left.objects[leftKeys[0]], let rightField = objects[leftKeys[0]],
            (leftField.numbers.count > 0) == (rightField.numbers.count > 0)
        else {
            hasEqualIdentity = false
            hasLongIdentity = false
            hasEqualURLs = false
            hasDifferentTypes = false
            (equalContents, differentContents, sharedIdentityCount) = (0, 0, 0)
            return
        }
        hasEqualIdentity = true
        if let identity = left.objects.identity(leftKeys[0]),
            let other = objects.identity(leftKeys[0])
        {
            (equalContents, differentContents) = identity.overlap(with: other)
            sharedIdentityCount = identity.sharedCount(with: other)
        } else {
            (equalContents, differentContents, sharedIdentityCount) = (0, 0, 0)
        }
        hasDifferentTypes = ["type", "object", "kind", "__typename"].contains { key in
            guard let leftType = left.objects[key], let rightType = objects[key] else {
                return false
            }
            return leftType.examples.count == 1 && rightType.examples.count == 1
                && leftType.examples != rightType.examples
        }
        let patterns = left.objects["url"]?.patterns ?? left.objects["self"]?.patterns ?? []
        hasEqualURLs =
            patterns.count == 1
            && patterns == objects["url"]?.patterns ?? objects["self"]?.patterns ?? []
        hasLongIdentity =
            leftField.numbers.maximumDigitCount >= 6 && rightField.numbers.maximumDigitCount >= 6
            || leftField.texts.maximumLength >= 8 && rightField.texts.maximumLength >= 8
    }
}
