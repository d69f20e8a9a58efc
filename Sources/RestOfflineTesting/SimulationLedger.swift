// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestOffline
import RestOutbox
import RestPersistence
import RestTesting
import RestTransport

/// The edits of the user of a simulation, and the rules that follow from them.
struct SimulationLedger {
    /// The entry of a request.
    struct Origin {
        let object: EditedObject
        let entry: OutboxEntry
        let remedy: CreationRemedy?
    }

    /// The values that the user has saved last.
    private var saved: [EditedObject: ObjectImage] = [:]
    /// The principals who have saved a value.
    private var authors: [EditedObject: [String: [StoredValue: Set<Principal?>]]] = [:]
    /// The objects that the user has inserted or changed, and not deleted.
    private var kept: Set<EditedObject> = []
    private var deleted: Set<EditedObject> = []
    private(set) var origins: [Int: Origin] = [:]
    /// Violations that were found while a request was on its way.
    private(set) var noted: [String] = []

    mutating func note(_ violation: String) { noted.append(violation) }

    /// Follows the objects whose rows others have replaced, as a list does that brings the object of an uncertain
    /// creation.
    ///
    /// - Parameter current: A closure that returns the present key for a former one.
    mutating func follow(_ current: (Int64) -> Int64) {
        func moved(_ object: EditedObject) -> EditedObject {
            EditedObject(entity: object.entity, key: current(object.key))
        }
        saved = Dictionary(saved.map { (moved($0.key), $0.value) }) { $0.merging($1) { $1 } }
        authors = Dictionary(authors.map { (moved($0.key), $0.value) }) { first, second in
            first.merging(second) { $0.merging($1) { $0.union($1) } }
        }
        kept = Set(kept.map(moved))
    }

    /// Notes the difference that a save of the user has made.
    mutating func noteEdit(
        from before: StoredRows, to after: StoredRows, in model: SentModel, by principal: Principal?
    ) {
        for (object, image) in after.rows {
            guard let entity = model.entities[object.entity] else { continue }
            let former = before.rows[object]
            for property in entity.properties {
                guard let value = image[property], former?[property] != value else { continue }
                saved[object, default: [:]][property] = value
                authors[object, default: [:]][property, default: [:]][value, default: []]
                    .insert(principal)
                kept.insert(object)
            }
        }
        for object in before.rows.keys where after.rows[object] == nil {
            guard model.entities[object.entity] != nil else { continue }
            kept.remove(object)
            deleted.insert(object)
        }
    }

    /// Notes the entry of a request that has arrived at the server.
    mutating func noteArrival(_ request: SimulatedRequest, _ audit: OutboxAudit, _ model: SentModel)
    {
        for (object, edits) in audit.edits {
            guard let entry = edits.entries.first, entry.state == .sending,
                let frozen = entry.attempt?.request, frozen.method == request.method.rawValue,
                frozen.path.hasSuffix(request.path), Array(frozen.body) == request.body
            else { continue }
            let remedy: CreationRemedy? =
                switch entry.kind {
                case .creation: edits.entity.creation
                case .command: entry.command?.remedy ?? .atMostOnce
                case .update, .deletion: nil
                }
            origins[request.number] = Origin(object: object, entry: entry, remedy: remedy)
            let credentials = request.headerFields[.authorization]
            if credentials != OutboxSimulation.credentials(of: entry.principal) {
                note("\(name(object)): a request is sent under another principal")
            }
            for (property, value) in entry.values where entry.kind != .deletion && !value.isNull {
                if authors[object]?[property]?[value]?.contains(entry.principal) != true {
                    note("\(name(object)): the principal of a request did not save \(property)")
                }
            }
            return
        }
        note("no entry has the request \(request.method.rawValue) \(request.path)")
    }

    // MARK: Rules

    /// Returns the rules that do not hold.
    func violations(_ audit: OutboxAudit, _ server: SimulatedAPI, isMine: Bool) -> [String] {
        var found = noted
        if audit.looseCount > 0 {
            found.append("\(audit.looseCount) bases or entries have no object")
        }
        if audit.danglingReferenceCount > 0 {
            found.append("\(audit.danglingReferenceCount) references dangle")
        }
        for (object, edits) in audit.edits {
            found += edits.inconsistencies().map { "\(name(object)): \($0)" }
            guard isMine, let local = edits.local else { continue }
            for index in edits.entries.indices where edits.entries[index].kind != .deletion {
                for property in edits.values(at: index).keys
                where local[property] != saved[object]?[property] {
                    found.append("\(name(object)): \(property) is not what was saved")
                }
            }
        }
        for object in kept where audit.rows.rows[object] == nil {
            found.append("\(name(object)) has vanished")
        }
        for object in deleted where audit.rows.rows[object] != nil {
            found.append("\(name(object)) is shown and was deleted")
        }
        found += effectViolations(server)
        found += identityViolations(audit, server)
        return found
    }

    private func effectViolations(_ server: SimulatedAPI) -> [String] {
        var found: [String] = []
        var bodies: [String: [UInt8]] = [:]
        for request in server.received {
            guard let key = request.headerFields[.idempotencyKey] else { continue }
            if let known = bodies[key], known != request.body {
                found.append("a key has two bodies")
            }
            bodies[key] = request.body
        }
        var last: [EditedObject: Int64] = [:]
        var counts: [Int64: Int] = [:]
        for effect in server.effects {
            guard let origin = origins[effect.request.number] else { continue }
            let sequence = origin.entry.sequence
            if let former = last[origin.object], sequence < former {
                found.append("\(name(origin.object)): entry \(sequence) after \(former)")
            }
            last[origin.object] = sequence
            switch origin.remedy {
            case .idempotencyKey, .atMostOnce: counts[sequence, default: 0] += 1
            case .clientIdentity, .recognized, nil: break
            }
        }
        for (sequence, count) in counts where count > 1 {
            found.append("entry \(sequence) had \(count) effects")
        }
        return found
    }

    /// The objects of the server by the object of the store that has created them.
    func created(_ server: SimulatedAPI) -> [EditedObject: Set<String>] {
        var created: [EditedObject: Set<String>] = [:]
        for effect in server.effects {
            guard let origin = origins[effect.request.number], origin.entry.kind == .creation
            else { continue }
            created[origin.object, default: []].insert("\(effect.collection)/\(effect.identity)")
        }
        return created
    }

    private func identityViolations(_ audit: OutboxAudit, _ server: SimulatedAPI) -> [String] {
        var found: [String] = []
        for (object, paths) in created(server) {
            let live = paths.filter { path in
                let parts = path.split(separator: "/")
                return server.resources(String(parts[0]))[String(parts[1])] != nil
            }
            if live.count > 1 { found.append("\(name(object)) has made \(live.count) objects") }
            guard let edits = audit.edits[object], edits.awaitsCreation,
                edits.entity.creation != .atMostOnce, let path = live.first
            else { continue }
            if isChanged(path, of: object, server) { continue }
            let identity = path.split(separator: "/").last.map(String.init)
            for other in audit.rows.rows.keys
            where other.entity == object.entity && other != object {
                if Self.text(audit.rows.identity(of: other)) == identity {
                    found.append("\(name(other)) is shown beside \(name(object)), which made it")
                }
            }
        }
        return found
    }

    /// Returns a Boolean value that indicates whether a new object has other values on the server by now than those
    /// by which it could be recognized.
    private func isChanged(
        _ path: String, of object: EditedObject, _ server: SimulatedAPI
    ) -> Bool {
        let creation = server.effects.first { effect in
            origins[effect.request.number]?.object == object
                && "\(effect.collection)/\(effect.identity)" == path
        }
        guard let creation else { return false }
        let present = server.resources(creation.collection)[creation.identity]?.members
        return creation.members.contains { present?[$0.key] != $0.value }
    }

    static func text(_ value: StoredValue?) -> String? {
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        default: nil
        }
    }

    func name(_ object: EditedObject) -> String { "\(object.entity)/\(object.key)" }
}
