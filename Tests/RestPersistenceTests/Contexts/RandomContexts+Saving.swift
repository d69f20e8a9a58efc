// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// Saves, and the conflicts in which they fail.
extension RandomContexts {
    private static let properties: Set = [
        "age", "author", "books", "fan", "favourite", "pages", "tags", "weight", "year",
    ]

    private func policy() -> MergePolicy {
        [.fail, .fail, .storeWins, .contextWins][Int.random(in: 0..<4, using: &random)]
    }

    func save(_ level: Level) throws { try save(level, policy()) }

    private func save(_ level: Level, _ policy: MergePolicy) throws {
        note("\(level.name) saves, \(policy)")
        level.context.mergePolicy = policy
        try attempt(level, level.model.parent == nil ? "saved" : "child saved") {
            try level.context.save()
        } _: { () throws(NaiveFailure) in
            try level.model.save(policy)
        }
    }

    func saveToStore(_ level: Level) throws {
        let policy = policy()
        note("\(level.name) saves to the store, \(policy)")
        level.context.mergePolicy = policy
        try attempt(level, "chain saved") {
            try level.context.saveToStore()
        } _: { () throws(NaiveFailure) in
            try level.model.saveToStore(policy)
        }
    }

    private func attempt(
        _ level: Level, _ name: String, _ real: () throws -> SaveReport,
        _ model: () throws(NaiveFailure) -> Void
    ) throws {
        var expected: Set<PersistenceError.Code> = []
        var changes = NaiveChanges()
        do { try model() } catch { (expected, changes) = (error.codes, error.changes) }
        do {
            _ = try real()
            guard expected.isEmpty else {
                throw Difference(description: "no \(expected) for \(changes)")
            }
            count(name)
        } catch let error as PersistenceError {
            guard expected.contains(error.code) else {
                throw Difference(description: "\(error) instead of \(expected)")
            }
            count("\(error.code)")
            for conflict in error.conflicts where !Self.properties.contains(conflict.property) {
                throw Difference(description: "\(conflict) names no property")
            }
            // A program discards such changes at some time, or else all saves would fail.
            if Bool.random(using: &random) { try rollback(level, isReset: false) }
        }
        try compareRows()
        // The parents have what the save has changed.
        for other in levels where level.name.hasPrefix(other.name) { try compare(other) }
    }

    /// Changes an object in one context, changes or deletes it in another one, and saves both, so that
    /// the save of the first context fails.
    func conflict(byDeleting isDeletion: Bool) throws {
        let roots = levels.filter { $0.model.parent == nil }.shuffled(using: &random)
        let (level, other) = (roots[0], roots[1])
        for root in [level, other] {
            try rollback(root, isReset: false)
            try compare(root)
        }
        if other.model.shown.keys("Tag").isEmpty {
            try insert("Tag", other)
            try save(other, .fail)
            try compare(level)
        }
        guard let tag = pick(other, "Tag"), let same = level.objects[tag.objectID.key] else {
            throw Difference(description: "no tag in \(level.name) and \(other.name)")
        }
        let weight = other.model.shown.rows[tag.objectID.key]?.values["weight"] ?? 0
        try set(weight + 1, "weight", of: same, level)
        if isDeletion {
            delete(tag, other)
        } else {
            try set(weight + 2, "weight", of: tag, other)
        }
        try save(other, .fail)
        try save(level, .fail)
    }
}
