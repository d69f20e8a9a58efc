// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RestRows
package import RestTransport

/// The unsent edits of all objects, and the decisions about them.
///
/// It is a value without input and output: each function is one transaction of the outbox. The order is
/// 1. a save changes entries,
/// 2. ``ready(for:at:)`` names the objects whose turn it is,
/// 3. ``startSend(of:at:writing:)`` freezes the request, before a byte of it leaves,
/// 4. ``record(_:of:_:at:using:)`` takes the answer.
package struct OutboxQueue: Sendable {
    package let model: SentModel
    package let timing: OutboxTiming
    package let answers: AnswerTable
    package let policy: EditPolicy
    /// The policies of entities that have one of their own.
    package let policies: [String: EditPolicy]
    /// The edits by object.
    package private(set) var objects: [EditedObject: ObjectEdits] = [:]
    /// The principals whose credentials the server does not accept.
    package var unauthorized: Set<Principal?> = []
    /// The deletions that new objects with the same identity wait for.
    package internal(set) var predecessors: [EditedObject: EditedObject] = [:]
    /// The number of the next entry or attempt.
    package private(set) var next: Int64 = 1
    /// The merges of edits with values of the server, in order.
    package private(set) var merges: [(object: EditedObject, merge: EditMerge)] = []
    /// The edits that continue as other objects, whose creator adds them.
    package private(set) var forks: [EditFork] = []

    package init(
        model: SentModel, timing: OutboxTiming = OutboxTiming(),
        answers: AnswerTable = AnswerTable(), policy: EditPolicy = .contextWins,
        policies: [String: EditPolicy] = [:]
    ) {
        self.policies = policies
        self.model = model
        self.timing = timing
        self.answers = answers
        self.policy = policy
    }

    /// Adds stored edits, from which the next numbers follow.
    package mutating func load(
        _ stored: [EditedObject: ObjectEdits], predecessors: [EditedObject: EditedObject],
        next: Int64
    ) {
        objects.merge(stored) { $1 }
        self.predecessors.merge(predecessors) { $1 }
        self.next = max(self.next, next)
    }

    func policy(of object: EditedObject) -> EditPolicy {
        policies[object.entity] ?? policy
    }

    /// The number of entries.
    package var entryCount: Int { objects.values.reduce(0) { $0 + $1.entries.count } }

    /// Calls a closure with the edits of an object, and forgets them if nothing has to be remembered.
    ///
    /// An object that is deleted, or will never exist, leaves the values of others with its last entry.
    mutating func update<Result>(
        _ object: EditedObject, keepsMentions: Bool = false,
        _ body: (inout ObjectEdits, inout Int64) -> Result
    ) -> Result? {
        guard var edits = objects.removeValue(forKey: object) else { return nil }
        let hadEntries = !edits.entries.isEmpty
        let result = body(&edits, &next)
        let report = edits.report
        edits.report = EditReport()
        if edits.local != nil || !edits.isSettled { objects[object] = edits }
        if !report.isEmpty { take(report, of: object) }
        if hadEntries, !keepsMentions, isGone(object) { forget(object) }
        return result
    }

    private mutating func take(_ report: EditReport, of object: EditedObject) {
        merges += report.merges.map { (object, $0) }
        if let image = report.fork {
            keepMoves(of: object, from: image, by: report.forkPrincipal)
            forks.append(
                EditFork(object: object, image: image, principal: report.forkPrincipal))
        }
    }

    /// Keeps the edits of a forked object that move it away from deleted ones, as the fork has them as well.
    private mutating func keepMoves(
        of object: EditedObject, from image: ObjectImage, by principal: Principal?
    ) {
        guard let edits = objects[object], let local = edits.local else { return }
        var kept: ObjectImage = [:]
        for (property, value) in local where value != image[property] {
            if let entity = edits.entity.members[property]?.destination {
                guard let members = MemberSet(value) else { continue }
                let shown = members.keys.filter { !isDeleted(self.object(of: entity, key: $0)) }
                if shown != members.keys { kept[property] = MemberSet(shown).stored }
            } else if let destination = destination(of: value, property, edits.entity),
                isDeleted(destination)
            {
                kept[property] = image[property]
            }
        }
        if !kept.isEmpty { update(object) { $0.update(kept, by: principal, &$1) } }
    }

    // MARK: Saving

    /// Adds an object that the server has, so that edits of it can be noted.
    package mutating func add(
        _ object: EditedObject, _ image: ObjectImage, identity: StoredValue, version: StoredValue?
    ) {
        guard let entity = model.entities[object.entity] else { return }
        objects[object] = ObjectEdits(
            entity, local: image, identity: identity, version: version)
    }

    /// Notes a new object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - image: Its values.
    ///   - former: The deleted object with the same identity; `nil` if there is none.
    ///   - principal: The principal of the save.
    package mutating func insert(
        _ object: EditedObject, _ image: ObjectImage, replacing former: EditedObject? = nil,
        by principal: Principal?
    ) {
        guard let entity = model.entities[object.entity] else { return }
        if let former, let edits = objects[former], edits.local == nil {
            var revived = self
            for other in objects.keys {
                revived.update(other) { edits, _ in
                    edits.replaceReferences(to: former, by: object.key, of: entity)
                }
            }
            if revived.update(former, { $0.insert(image, by: principal, &$1) }) == true {
                self = revived
                // One object has one key, that of its row.
                objects[object] = objects.removeValue(forKey: former)
                return
            }
            if edits.awaitsDeletion { predecessors[object] = former }
        }
        var edits = ObjectEdits(entity, local: nil)
        _ = edits.insert(image, by: principal, &next)
        edits.quietUntil = former.flatMap { objects[$0]?.quietUntil }
        objects[object] = edits
    }

    /// Notes changed values of an object.
    package mutating func change(
        _ object: EditedObject, _ values: ObjectImage, by principal: Principal?
    ) {
        update(object) { $0.update(values, by: principal, &$1) }
    }

    /// Notes the deletion of an object.
    ///
    /// - Returns: The entries that are void, because the server will never have the object.
    @discardableResult package mutating func delete(
        _ object: EditedObject, by principal: Principal?
    ) -> [OutboxEntry] {
        update(object) { $0.delete(by: principal, &$1) } ?? []
    }

    /// Returns a Boolean value that indicates whether an object is deleted and has no entries.
    func isGone(_ object: EditedObject) -> Bool {
        guard let edits = objects[object] else { return true }
        return edits.local == nil && edits.entries.isEmpty
    }

    /// Removes an object that the server does not have any more, or never will, from what other entries keep.
    mutating func forget(_ object: EditedObject) {
        predecessors[object] = nil
        guard let kind = model.entities[object.entity] else { return }
        for other in objects.keys {
            update(other) { $0.removeReferences(to: object, of: kind, &$1) }
        }
    }

}
