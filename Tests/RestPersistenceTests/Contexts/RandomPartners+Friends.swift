// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestPersistence

extension RandomPartners {
    /// Moves, adds or removes a friend.
    func setFriends(
        of person: ManagedObject, _ people: [ManagedObject], _ index: Int
    ) throws {
        let former = try person.related("friends")
        var friends = former
        switch Int.random(in: 0..<4, using: &random) {
        case 0: friends.shuffle(using: &random)
        case 1 where !friends.isEmpty:
            friends.remove(at: Int.random(in: friends.indices, using: &random))
        default:
            guard let new = people.filter({ !friends.contains($0) }).randomElement(using: &random)
            else { return }
            friends.insert(new, at: Int.random(in: 0...friends.count, using: &random))
        }
        trace.append(
            "\(index) sets \(person.objectID.key).friends = \(friends.map(\.objectID.key))")
        try person.setRelated("friends", friends)
        guard try person.related("friends") == friends else {
            throw Difference(description: "not set")
        }
        for other in Set(former + friends) {
            let isFriend = try other.related("friends").contains(person)
            guard isFriend == friends.contains(other) else {
                throw Difference(description: "\(other.objectID) has other friends")
            }
        }
    }

    /// Checks that stored friends are mutual, and that contexts without changes have them in their
    /// order.
    func checkFriends() throws {
        let rows = try observer.connection.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT source, target FROM Person_friends
                    ORDER BY source, target_position IS NULL, target_position, target
                    """)
        }
        var friends: [Int64: [Int64]] = [:]
        for row in rows { friends[row["source"], default: []].append(row["target"]) }
        for (key, others) in friends {
            for other in others where friends[other]?.contains(key) != true {
                throw Difference(description: "rows \(friends)")
            }
        }
        for context in contexts where !context.chainHasChanges {
            for person in try context.fetch(FetchRequest("Person")) {
                let shown = try person.related("friends").map(\.objectID.key)
                guard shown == friends[person.objectID.key] ?? [] else {
                    throw Difference(
                        description: "\(person.objectID) has \(shown), rows \(friends)")
                }
            }
        }
    }
}
