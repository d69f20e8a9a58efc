// SPDX-License-Identifier: Apache-2.0

/// The members that identify the objects at a place.
struct IdentityChoice: Sendable, Hashable {
    var keys: [String]
    var evidence: Evidence

    /// Returns the choice for the objects of a list.
    ///
    /// - Parameters:
    ///   - objects: The facts about the objects.
    ///   - name: The name of the entity, for names such as `order_id` of orders.
    ///   - isList: A Boolean value that indicates whether every object is another one, as in a list.
    ///   - isElement: A Boolean value that indicates whether the objects are elements of lists in records.
    /// - Returns: The choice; `nil` if nothing identifies the objects.
    static func choose(
        _ objects: ObjectStatistics, name: String, isList: Bool, isElement: Bool = false
    ) -> IdentityChoice? {
        let ranked = objects.keys.compactMap { key -> (rank: Int, key: String)? in
            guard let rank = rank(of: key, name: name, in: objects, isList: isList) else {
                return nil
            }
            return (rank, key)
        }.sorted { $0.rank < $1.rank }
        for (_, key) in ranked {
            if let choice = check(key, objects, isList: isList) { return choice }
        }
        return isList || isElement ? pair(objects) : nil
    }

    /// Returns the choice of a member of an object with facts about the record, such as `sys.id` and
    /// `metadata.uid`; `nil` if there is none.
    static func chooseInner(_ objects: ObjectStatistics) -> IdentityChoice? {
        for key in ["sys", "metadata", "meta", "_meta", "header", "info"] {
            guard let field = objects[key], field.objectCount == objects.count,
                let inner = field.objects.first
            else { continue }
            let ranked = inner.keys.filter(IdentityNames.isStrong)
                .sorted { IdentityNames.rank(of: $0) ?? 99 < IdentityNames.rank(of: $1) ?? 99 }
            for name in ranked {
                guard var choice = check(name, inner, isList: true) else { continue }
                choice.keys = ["\(key).\(name)"]
                return choice
            }
        }
        return nil
    }

    /// The key of the inner object with the identity; `nil` for an identity of the objects themselves.
    var innerKey: String? {
        guard keys.count == 1, let dot = keys[0].firstIndex(of: ".") else { return nil }
        return String(keys[0][..<dot])
    }

    private static func rank(
        of key: String, name: String, in objects: ObjectStatistics, isList: Bool
    ) -> Int? {
        let words = Words.words(of: key)
        let entity = Words.words(of: name)
        if words.count > 1, words.dropLast() == entity[...],
            ["id", "key", "uuid", "code", "no", "number"].contains(words.last)
        {
            return 2
        }
        if let rank = IdentityNames.rank(of: key) {
            // A name or a title identifies the objects of a list only if nothing else does.
            return isList || rank < 28 ? rank : nil
        }
        if isList, key == objects.keys.first, IdentityNames.endsWithID(key) { return 11 }
        guard isList, objects.identities[key] != nil, objects.count >= 3 else { return nil }
        // A member without a customary name needs the form of a code.
        guard let field = objects[key], field.texts.count == field.count,
            field.texts.codeCount == field.texts.count,
            field.texts.dateCount + field.texts.dayCount == 0,
            field.texts.maximumLength <= 64
        else { return nil }
        return 50
    }

    private static func check(
        _ key: String, _ objects: ObjectStatistics, isList: Bool
    ) -> IdentityChoice? {
        guard let identity = objects.identities[key], let field = objects[key],
            identity.count == objects.count, field.scalarCount == objects.count,
            field.numbers.count == 0 || field.texts.count == 0,
            field.numbers.count == field.numbers.integerCount
                || field.numbers.count == field.numbers.unsignedCount
        else { return nil }
        let repeats = identity.repeatCount
        // Copies of an object can differ in a few members, as they were written at different times.
        guard
            identity.conflictCount == 0
                || IdentityNames.isStrong(key)
                    && (identity.conflictCount < 3 || identity.conflictCount * 2 <= repeats)
        else { return nil }
        let text = identity.text(of: key)
        if IdentityNames.isStrong(key)
            || (IdentityNames.rank(of: key) == nil && Words.words(of: key).count > 1 && isList)
        {
            return IdentityChoice(
                keys: [key], evidence: Evidence(objects.count >= 3 ? .certain : .likely, text))
        }
        if isList {
            guard objects.count >= 2 else {
                // One object shows nothing but the name.
                return IdentityNames.isURL(key) || IdentityNames.isCode(key)
                    ? IdentityChoice(keys: [key], evidence: Evidence(.guess, text)) : nil
            }
            let isCustomary = (IdentityNames.rank(of: key) ?? 99) < 30
            return IdentityChoice(
                keys: [key],
                evidence: Evidence(
                    isCustomary && objects.count >= 3 ? .certain : isCustomary ? .likely : .guess,
                    text))
        }
        return checkNested(key, objects, identity, text)
    }

    /// Returns the choice for objects inside of records, of which a code or URL is an identity only if
    /// the object
    /// says more and its content depends on it.
    private static func checkNested(
        _ key: String, _ objects: ObjectStatistics, _ identity: IdentityStatistics, _ text: String
    ) -> IdentityChoice? {
        guard identity.conflictCount == 0, objects.keys.count >= 2, !objects.isDictionary else {
            return nil
        }
        if IdentityNames.isURL(key) {
            guard let field = objects[key], field.texts.urlCount == field.count else { return nil }
            let hasName = ["name", "title", "label", "login", "full_name"].contains { name in
                objects[name].map { $0.texts.count > 0 && $0.texts.urlCount == 0 } == true
            }
            guard hasName else { return nil }
            return IdentityChoice(keys: [key], evidence: Evidence(.likely, text))
        }
        guard IdentityNames.isCode(key), identity.repeatCount > 0, let field = objects[key],
            field.texts.codeCount == field.count
        else { return nil }
        return IdentityChoice(keys: [key], evidence: Evidence(.likely, text))
    }

    private static func pair(_ objects: ObjectStatistics) -> IdentityChoice? {
        let unique = objects.pairs.filter {
            $0.value.count == objects.count && $0.value.repeatCount == 0
        }
        guard objects.count >= 5,
            let best = unique.keys.min(by: { ($0.first, $0.second) < ($1.first, $1.second) })
        else { return nil }
        return IdentityChoice(
            keys: [best.first, best.second],
            evidence: Evidence(
                .likely,
                "\(best.first) and \(best.second): together unique in \(objects.count) of \(objects.count)"
            ))
    }
}
