// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A search for members whose values identify objects of an entity.
struct ReferenceFinder {
    /// An entity with the values of its identity.
    struct Target {
        let name: String
        let resourceName: String?
        let identity: [String]
        let objects: ObjectStatistics
        /// A Boolean value that indicates whether the objects are records of a resource, so that most of
        /// them were
        /// observed.
        let isRoot: Bool
    }

    /// A relation with the reason for it.
    struct Finding {
        let entity: String
        let form: RelationDefinition.Form
        let attribute: String?
        let evidence: Evidence
    }

    private let targets: [Target]

    init(_ targets: [Target]) { self.targets = targets }

    /// Returns the entity that the scalars at a place refer to; `nil` for none.
    ///
    /// - Parameters:
    ///   - values: The facts about the scalars, which are the elements for a list.
    ///   - key: The name of the member.
    ///   - entity: The name of the entity with the member.
    ///   - isList: A Boolean value that indicates whether the member is a list.
    /// - Returns: The relation.
    func reference(
        _ values: ValueStatistics, key: String, of entity: String, isList: Bool
    ) -> Finding? {
        let count = values.count - values.nullCount
        guard count > 0, values.scalarCount == count,
            values.numbers.count == 0 || values.texts.count == 0
        else { return nil }
        if values.texts.urlCount == count { return url(values, key, entity) }
        if values.numbers.count > 0, values.numbers.integerCount < values.numbers.count {
            return nil
        }
        if values.texts.dateCount + values.texts.dayCount > 0 { return nil }
        return named(values, key, entity) ?? contained(values, key, entity, isList: isList)
    }

    // MARK: URLs

    private func url(_ values: ValueStatistics, _ key: String, _ entity: String) -> Finding? {
        for target in targets where !target.identity.isEmpty {
            for (member, identity) in target.objects.identities
            where IdentityNames.isURL(member) && !(target.name == entity && member == key) {
                let known = values.sample.values.count { identity.contents[$0] != nil }
                guard known > 0, known * 10 >= values.sample.values.count * 8 else { continue }
                let isIdentity = target.identity == [member]
                // A URL of the object itself can equal that of another one, as the same link in two
                // places does.
                if !isIdentity, IdentityNames.isURL(key) { continue }
                return Finding(
                    entity: target.name, form: .identity, attribute: isIdentity ? nil : member,
                    evidence: Evidence(
                        known >= 3 ? .certain : .likely,
                        "\(known) of \(values.sample.values.count) URLs are `\(member)` of \(target.name)"
                    ))
            }
        }
        return component(values, key, entity)
    }

    /// Returns the entity whose identity is the last component of URLs.
    private func component(_ values: ValueStatistics, _ key: String, _ entity: String) -> Finding? {
        guard values.collections.count == 1, let collection = values.collections.first else {
            return nil
        }
        for target in targets where target.identity.count == 1 {
            let isNamed =
                Words.areEqual(collection, target.name)
                || target.resourceName.map { Words.areEqual(collection, $0) } == true
            guard isNamed, let identity = target.objects.identity(target.identity[0]) else {
                continue
            }
            // A URL of the object itself is an attribute.
            if target.name == entity, IdentityNames.isURL(key) || key.hasSuffix("_url") { continue }
            let known = values.components.values.count { identity.contents[$0] != nil }
            guard known > 0, known * 2 >= values.components.values.count else { continue }
            return Finding(
                entity: target.name, form: .lastPathComponent, attribute: nil,
                evidence: Evidence(
                    known >= 3 ? .certain : .likely,
                    "\(known) of \(values.components.values.count) URLs end with the identity of \(target.name)"
                ))
        }
        return nil
    }

    // MARK: Identities

    private func named(_ values: ValueStatistics, _ key: String, _ entity: String) -> Finding? {
        let stem = IdentityNames.stem(of: key)
        let name = stem ?? key
        for target in targets where target.identity.count == 1 && fits(values, target) {
            let isSelf = target.name == entity
            if isSelf, key == target.identity[0] { continue }
            let isParent = isSelf && Words.words(of: name).last == "parent"
            let match =
                isParent || Words.areEqual(name, target.name)
                || target.resourceName.map { Words.areEqual(name, $0) } == true
                || stem != nil && Self.hasEnding(name, target.name)
                || IdentityNames.isRole(name, of: target.name)
            // The identity of an entity such as `order_id` of orders is no reference.
            guard match, !(isSelf && !isParent) else { continue }
            let (known, total) = overlap(values, target)
            let needed = stem != nil ? 0.5 : 0.8
            if known > 0, Double(known) >= Double(total) * needed {
                return Finding(
                    entity: target.name, form: .identity, attribute: nil,
                    evidence: Evidence(
                        known >= 3 ? .certain : .likely,
                        "\(known) of \(total) values are the identity of \(target.name)"))
            }
            // Few objects were observed, so that only the name can tell.
            if stem != nil, known > 0 || !target.isRoot {
                return Finding(
                    entity: target.name, form: .identity, attribute: nil,
                    evidence: Evidence(
                        .guess, "the name `\(key)`; \(known) of \(total) values were observed"))
            }
        }
        return nil
    }

    /// Returns the only entity that contains all values, if they cannot be equal by coincidence.
    private func contained(
        _ values: ValueStatistics, _ key: String, _ entity: String, isList: Bool
    ) -> Finding? {
        let distinct = values.sample.values.count
        let isLong =
            values.texts.count > 0 && values.texts.codeCount == values.texts.count
            && values.texts.maximumLength >= 8
        let isNumbered =
            values.numbers.maximumDigitCount >= 6 && IdentityNames.isReference(key) && distinct >= 1
        guard
            isLong && (distinct >= 2 || IdentityNames.isReference(key)) || isNumbered
                || isList && values.numbers.count > 0 && distinct >= 5
        else { return nil }
        let matches = targets.filter { target in
            guard target.identity.count == 1, fits(values, target),
                !(target.name == entity && target.identity[0] == key)
            else { return false }
            return overlap(values, target).known == distinct
        }
        guard matches.count == 1 else { return nil }
        return Finding(
            entity: matches[0].name, form: .identity, attribute: nil,
            evidence: Evidence(
                isLong || isNumbered ? .likely : .guess,
                "all \(distinct) values are identities of \(matches[0].name)"))
    }

    private func overlap(_ values: ValueStatistics, _ target: Target) -> (known: Int, total: Int) {
        guard let identity = target.objects.identity(target.identity[0]) else { return (0, 1) }
        var sample = values.sample.values
        // Some servers send 0 for none.
        if values.numbers.count > 0, sample.count > 1 { sample.remove(ValueHash.of("0")) }
        return (sample.count { identity.contents[$0] != nil }, max(1, sample.count))
    }

    /// Returns a Boolean value that indicates whether values are of the kind of an identity.
    private func fits(_ values: ValueStatistics, _ target: Target) -> Bool {
        guard let field = target.objects[target.identity[0]] else { return false }
        return (field.numbers.count > 0) == (values.numbers.count > 0)
    }

    private static func hasEnding(_ name: String, _ entity: String) -> Bool {
        let (long, short) = (
            Words.words(of: name).map(Words.singular), Words.words(of: entity).map(Words.singular)
        )
        return long.count > short.count && long.suffix(short.count) == short[...]
    }
}
