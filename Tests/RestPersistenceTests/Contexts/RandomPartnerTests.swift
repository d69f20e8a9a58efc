// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestPersistence
import TestSupport
import Testing

/// Random changes of relationships that are their own inverse, in contexts and their children.
///
/// The environment variables are those of ``RandomContextTests``.
@Suite struct RandomPartnerTests {
    @Test func storedPartnersAreMutual() async throws {
        let counts = try await run(.partner)
        for outcome in ["saved", "saveConflict", "objectNotFound"] {
            #expect(counts[outcome, default: 0] > 0, "\(outcome)")
        }
    }

    @Test func storedFriendsAreMutual() async throws {
        let counts = try await run(.friends)
        #expect(counts["saved", default: 0] > 0)
    }

    /// Returns the outcomes of saves.
    private func run(_ kind: RandomPartners.Kind) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for seed in RandomContextTests.seeds {
            let files = try TemporaryStore()
            let store = try await files.open([RandomPartners.entity(kind)])
            let partners = RandomPartners(store, try files.observer(), kind, seed: seed)
            do {
                for _ in 0..<150 { try partners.step() }
            } catch {
                let trace = partners.trace.joined(separator: "\n")
                Issue.record("seed \(seed), \(kind): \(error)\n\(trace)")
                break
            }
            counts.merge(partners.counts, uniquingKeysWith: +)
            try store.close()
        }
        return counts
    }
}

/// Contexts whose objects have partners or friends, and random steps.
final class RandomPartners {
    enum Kind { case partner, friends }

    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    static func entity(_ kind: Kind) -> EntityDescription {
        let relationship: RelationshipDescription =
            switch kind {
            case .partner: .toOne("partner", "Person", inverse: "partner")
            case .friends: .toMany("friends", "Person", inverse: "friends", isOrdered: true)
            }
        return EntityDescription("Person", attributes: [], relationships: [relationship])
    }

    private let kind: Kind
    let observer: FileObserver
    let contexts: [ManagedObjectContext]
    var random: SeededGenerator
    var trace: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(_ store: ManagedObjectStore, _ observer: FileObserver, _ kind: Kind, seed: Int) {
        self.kind = kind
        self.observer = observer
        random = SeededGenerator(state: UInt64(seed))
        let (one, two) = (store.makeContext(), store.makeContext())
        let child = one.child()
        contexts = [one, two, child, child.child(), one.child(), two.child()]
    }

    func step() throws {
        let index = Int.random(in: 0..<contexts.count, using: &random)
        let context = contexts[index]
        let people = try context.fetch(FetchRequest("Person")).sorted {
            $0.objectID.key < $1.objectID.key
        }
        let person = people.randomElement(using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<2 where people.count < 6:
            let new = try context.insert(entity: "Person")
            trace.append("\(index) inserts \(new.objectID.key)")
        case 2:
            guard let person else { return }
            trace.append("\(index) deletes \(person.objectID.key)")
            context.delete(person)
        case 3..<12:
            guard let person else { return }
            if kind == .friends {
                try setFriends(of: person, people, index)
                return
            }
            let isCleared = Int.random(in: 0..<5, using: &random) == 0
            try setPartner(
                isCleared ? nil : people.randomElement(using: &random), of: person, index)
        case 12..<17: try save(index) { try context.save() }
        case 17: try save(index) { try context.saveToStore() }
        case 18:
            trace.append("\(index) rolls back")
            context.rollback()
        default:
            guard let person else { return }
            let keepsChanges = Bool.random(using: &random)
            trace.append("\(index) refreshes \(person.objectID.key), \(keepsChanges)")
            try context.refresh(person, keepingChanges: keepsChanges)
        }
    }

    private func setPartner(_ other: ManagedObject?, of person: ManagedObject, _ index: Int) throws
    {
        trace.append(
            "\(index) sets \(person.objectID.key).partner = \(other?.objectID.key ?? 0)")
        let changed = [person] + [other].compactMap(\.self)
        var expected: [(object: ManagedObject, partner: [ManagedObject])] = []
        for object in try changed.flatMap({ try $0.related("partner") })
        where !changed.contains(object) {
            let partner = try object.related("partner")
            // Until the save, a partner may have another one.
            let isCleared = try changed.contains {
                try partner == [$0] && $0.related("partner") == [object]
            }
            expected.append((object, isCleared ? [] : partner))
        }
        try person.setRelated("partner", other.map { [$0] } ?? [])
        guard try person.related("partner") == [other].compactMap(\.self),
            try other?.related("partner") ?? [person] == [person]
        else { throw Difference(description: "not set") }
        for (object, partner) in expected where try object.related("partner") != partner {
            throw Difference(description: "\(object.objectID) has another partner")
        }
    }

    private func save(_ index: Int, _ body: () throws -> SaveReport) throws {
        let context = contexts[index]
        let policies: [MergePolicy] = [.fail, .storeWins, .contextWins]
        let policy = policies[Int.random(in: 0..<policies.count, using: &random)]
        trace.append("\(index) saves, \(policy)")
        context.mergePolicy = policy
        do {
            _ = try body()
            counts["saved", default: 0] += 1
        } catch let error as RestPersistence.PersistenceError {
            let expected: [RestPersistence.PersistenceError.Code] =
                switch policy {
                // A save writes the rows of a join table over any others.
                case _ where kind == .friends: []
                case .storeWins: []
                case .contextWins: [.objectNotFound]
                case .fail: [.objectNotFound, .saveConflict]
                }
            guard expected.contains(error.code) else { throw error }
            counts["\(error.code)", default: 0] += 1
            if Bool.random(using: &random) { context.rollback() }
        }
        switch kind {
        case .partner: try checkPartners()
        case .friends: try checkFriends()
        }
    }

    /// Checks that stored partners are mutual, and that contexts without changes have them.
    private func checkPartners() throws {
        let rows = try observer.connection.read { database in
            var rows: [Int64: Int64?] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT restkit_key, partner FROM Person") {
                rows[row["restkit_key"]] = .some(row["partner"])
            }
            return rows
        }
        for case (let key, let partner?) in rows where rows[partner] != .some(key) {
            throw Difference(description: "rows \(rows)")
        }
        for context in contexts where !context.chainHasChanges {
            for person in try context.fetch(FetchRequest("Person")) {
                let partner = try person.related("partner").first?.objectID.key
                guard rows[person.objectID.key] == .some(partner) else {
                    throw Difference(
                        description: "\(person.objectID) has \(partner ?? 0), rows \(rows)")
                }
            }
        }
    }
}

extension ManagedObjectContext {
    /// A Boolean value that indicates whether the context or one of its parents has unsaved changes.
    var chainHasChanges: Bool { hasChanges || parent?.chainHasChanges == true }
}
