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
    /// The treatment of each member, in the order of the keys.
    private var candidacies: [Candidacy] = []

    private enum Candidacy {
        case none
        /// A member that is named like an identity.
        case named
        /// A member that may be an identity if nothing else is.
        case other
    }

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
        var scalars: [(index: Int, value: UInt64)] = []
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
        for (index, value) in scalars where candidacies[index] != .none {
            observe(value, ofMember: index, content)
        }
        observePairs(scalars, content)
    }

    /// Observes a value that may identify the object.
    private mutating func observe(
        _ value: UInt64, ofMember index: Int, _ content: IdentityStatistics.Content
    ) {
        let isNamed = candidacies[index] == .named
        let limit = isNamed ? Self.identityLimit : Self.otherIdentityLimit
        identities[keys[index], default: IdentityStatistics(limit: limit)].observe(value, content)
        // Members that repeat and are not named like an identity are none.
        if !isNamed, identities[keys[index]]?.repeatCount ?? 0 > 0 {
            identities[keys[index]] = nil
            candidacies[index] = .none
        }
    }

    private mutating func observe(
        _ key: String, _ value: NodeView, _ depth: Int,
        _ content: inout IdentityStatistics.Content, _ scalars: inout [(index: Int, value: UInt64)]
    ) {
        memberCount += 1
        var identifying: UInt64?
        let keyHash = ValueHash.of(key)
        content.keys ^= keyHash
        if !value.kind.isContainer {
            let text = value.string() ?? value.numberText ?? (value.isNull ? "" : "\(value.isTrue)")
            let hash = ValueHash.of(text)
            content.scalars ^= ValueHash.of(keyHash, hash)
            // Null, Boolean values and empty texts identify nothing.
            if value.kind.isNumber || value.kind.isString, !text.isEmpty {
                identifying = hash
            }
        }
        guard let index = indices[key] ?? addMember(key) else { return }
        fields[index].observe(value, depth: depth)
        if let identifying { scalars.append((index, identifying)) }
    }

    /// Adds a member and returns its index; `nil` if there are too many.
    private mutating func addMember(_ key: String) -> Int? {
        guard keys.count < Self.maximumKeyCount else { return nil }
        let index = keys.count
        indices[key] = index
        keys.append(key)
        fields.append(ValueStatistics())
        // There are few customary names, so that only other members need the limit.
        if IdentityNames.rank(of: key) != nil {
            candidacies.append(.named)
        } else {
            let isPossible =
                count <= 1 && candidacies.count { $0 == .other } < Self.maximumCandidateCount
            candidacies.append(isPossible ? .other : .none)
        }
        return index
    }

    private mutating func observePairs(
        _ scalars: [(index: Int, value: UInt64)], _ content: IdentityStatistics.Content
    ) {
        if count == 1 {
            let references = scalars.map { keys[$0.index] }.filter(IdentityNames.isReference)
                .prefix(4)
            for (index, first) in references.enumerated() {
                for second in references.dropFirst(index + 1) {
                    pairs[KeyPair(first: first, second: second)] = IdentityStatistics(
                        limit: Self.otherIdentityLimit * 10)
                }
            }
        }
        guard !pairs.isEmpty else { return }
        let values = Dictionary(scalars.map { (keys[$0.index], $0.value) }) { first, _ in first }
        // A copy of the keys, so that the values are changed in place.
        for pair in Array(pairs.keys) {
            guard let first = values[pair.first], let second = values[pair.second] else { continue }
            pairs[pair]?.observe(ValueHash.of(first, second), content)
        }
    }

    mutating func merge(_ other: ObjectStatistics) {
        count += other.count
        memberCount += other.memberCount
        for (key, field) in zip(other.keys, other.fields) {
            if let index = indices[key] {
                fields[index].merge(field)
            } else if let index = addMember(key) {
                fields[index] = field
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
