// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Facts about the objects at a place: their members, and the members that may identify them.
struct ObjectStatistics: Sendable {
    /// The maximum number of distinct keys; objects with more are dictionaries.
    private static let maximumKeyCount = 2_000
    /// The maximum number of values of a member that is named like an identity.
    static let identityLimit = 100_000
    /// The maximum number of values of any other member that may be one.
    private static let otherIdentityLimit = 1_000
    /// The maximum number of members that may be an identity.
    private static let maximumCandidateCount = 16

    /// The number of objects.
    private(set) var count = 0
    /// The number of members of all objects.
    private(set) var memberCount = 0
    /// The keys in the order of their first appearance.
    private(set) var keys: [String] = []
    /// The facts about the members, in the order of the keys.
    private(set) var fields: [ValueStatistics] = []
    /// The facts about the members that may identify objects, by key.
    private(set) var identities: [String: IdentityStatistics] = [:]
    /// The facts about pairs of members that together may identify objects.
    private(set) var pairs: [KeyPair: IdentityStatistics] = [:]
    private var indices: [String: Int] = [:]

    struct KeyPair: Sendable, Hashable {
        let first: String
        let second: String
    }

    /// Returns the facts about a member, or about a member of an inner object, such as `sys.id`.
    subscript(key: String) -> ValueStatistics? {
        if let index = indices[key] { return fields[index] }
        return inner(key).flatMap { $0.objects[$0.key] }
    }

    /// Returns the facts about a member that may identify objects, or about one of an inner object.
    func identity(_ key: String) -> IdentityStatistics? {
        identities[key]
            ?? (indices[key] == nil ? inner(key).flatMap { $0.objects.identities[$0.key] } : nil)
    }

    /// Returns the inner objects and the rest of a key with a dot.
    private func inner(_ key: String) -> (objects: ObjectStatistics, key: String)? {
        guard let dot = key.firstIndex(of: "."), let index = indices[String(key[..<dot])],
            let objects = fields[index].objects.first
        else { return nil }
        return (objects, String(key[key.index(after: dot)...]))
    }

    /// Observes an object.
    ///
    /// - Parameters:
    ///   - view: The object.
    ///   - depth: The depth of the object.
    ///   - merging: The keys of objects whose members are members of this object.
    ///   - ownKey: The key of the object in an object around it, which becomes its member `key`.
    mutating func observe(
        _ view: NodeView, depth: Int, merging: Set<String> = [], key ownKey: NodeView? = nil
    ) {
        count += 1
        var content = IdentityStatistics.Content(keys: 0, scalars: 0)
        var scalars: [(key: String, value: UInt64)] = []
        if let ownKey { observe("key", ownKey, depth, &content, &scalars) }
        for (keyView, value) in view.members {
            let key = keyView.string() ?? ""
            if merging.contains(key), value.isObject {
                for (innerKey, innerValue) in value.members {
                    observe(innerKey.string() ?? "", innerValue, depth, &content, &scalars)
                }
            } else {
                observe(key, value, depth, &content, &scalars)
            }
        }
        for (key, value) in scalars where isCandidate(key) {
            let limit =
                IdentityNames.rank(of: key) == nil ? Self.otherIdentityLimit : Self.identityLimit
            identities[key, default: IdentityStatistics(limit: limit)].observe(value, content)
        }
        observePairs(scalars, content)
        dropRepeatedCandidates()
    }

    private mutating func observe(
        _ key: String, _ value: NodeView, _ depth: Int,
        _ content: inout IdentityStatistics.Content, _ scalars: inout [(key: String, value: UInt64)]
    ) {
        memberCount += 1
        let keyHash = ValueHash.of(key)
        content.keys ^= keyHash
        if !value.kind.isContainer {
            let text = value.string() ?? value.numberText ?? (value.isNull ? "" : "\(value.isTrue)")
            let hash = ValueHash.of(text)
            content.scalars ^= ValueHash.of(keyHash, hash)
            // Null, Boolean values and empty texts identify nothing.
            if value.kind.isNumber || value.kind.isString, !text.isEmpty {
                scalars.append((key, hash))
            }
        }
        if let index = indices[key] {
            fields[index].observe(value, depth: depth)
        } else if keys.count < Self.maximumKeyCount {
            indices[key] = keys.count
            keys.append(key)
            fields.append(ValueStatistics())
            fields[keys.count - 1].observe(value, depth: depth)
        }
    }

    /// Returns a Boolean value that indicates whether the values of a member are compared.
    private func isCandidate(_ key: String) -> Bool {
        if identities[key] != nil { return true }
        // There are few customary names, so that only other members need the limit.
        if IdentityNames.rank(of: key) != nil { return true }
        return count == 1 && identities.count < Self.maximumCandidateCount
    }

    private mutating func observePairs(
        _ scalars: [(key: String, value: UInt64)], _ content: IdentityStatistics.Content
    ) {
        if count == 1 {
            let references = scalars.map(\.key).filter(IdentityNames.isReference).prefix(4)
            for (index, first) in references.enumerated() {
                for second in references.dropFirst(index + 1) {
                    pairs[KeyPair(first: first, second: second)] = IdentityStatistics(
                        limit: Self.otherIdentityLimit * 10)
                }
            }
        }
        guard !pairs.isEmpty else { return }
        let values = Dictionary(scalars.map { ($0.key, $0.value) }) { first, _ in first }
        for pair in pairs.keys {
            guard let first = values[pair.first], let second = values[pair.second] else { continue }
            pairs[pair]?.observe(ValueHash.of(first, second), content)
        }
    }

    /// Stops comparing members that repeat and are not named like an identity.
    private mutating func dropRepeatedCandidates() {
        for (key, identity) in identities
        where identity.repeatCount > 0 && IdentityNames.rank(of: key) == nil {
            identities[key] = nil
        }
    }

    mutating func merge(_ other: ObjectStatistics) {
        count += other.count
        memberCount += other.memberCount
        for (key, field) in zip(other.keys, other.fields) {
            if let index = indices[key] {
                fields[index].merge(field)
            } else if keys.count < Self.maximumKeyCount {
                indices[key] = keys.count
                keys.append(key)
                fields.append(field)
            }
        }
        for (key, identity) in other.identities {
            if identities[key] == nil {
                identities[key] = identity
            } else {
                identities[key]?.merge(identity)
            }
        }
        for (pair, identity) in other.pairs { pairs[pair]?.merge(identity) }
    }
}

extension ObjectStatistics {
    /// Returns a Boolean value that indicates whether the objects at a key have members that users choose.
    func isOpen(_ key: String) -> Bool { IdentityNames.isOpen(key) && hasVaryingKeys }

    /// A Boolean value that indicates whether the objects have different keys.
    var hasVaryingKeys: Bool { memberCount < keys.count * count }

    /// A Boolean value that indicates whether the keys are data, such as identities, dates or languages.
    var isDictionary: Bool {
        if keys.isEmpty { return count > 0 }
        if keys.count >= Self.maximumKeyCount { return true }
        guard keys.count >= 2 else { return false }
        let dataCount = keys.count { IdentityNames.isIdentifier($0) }
        if dataCount * 10 >= keys.count * 9 { return true }
        let averageCount = Double(memberCount) / Double(max(1, count))
        return keys.count > 64 && count > 4 && averageCount < Double(keys.count) / 4
    }
}
