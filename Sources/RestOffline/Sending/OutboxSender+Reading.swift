// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestOutbox
import RestPersistence
import RestSync
import RestTransport

/// The requests that read what the server has.
extension OutboxSender {
    /// Reads an object, whose image the import merges.
    func read(_ object: EditedObject) async throws {
        let (manager, rules, weakTags) = (manager, rules, weakTags)
        guard let declaration = rules.declarations[object.entity],
            let reader = readers[object.entity], let index = rules.model.index(of: object.entity)
        else { return }
        let id = ManagedObjectID(
            key: object.key, layout: rules.model.layouts[index], store: content.database.identity)
        let precondition = declaration.precondition
        do {
            if try await comparesWithRivals(object, reader) { return }
            let (frozen, exists) = try await write(object) { writer, edits in
                (try writer.read(object, edits), edits.local != nil)
            }
            let request = try freshRequest(frozen)
            try await manager.sendFrozen(
                request, of: exists ? id : nil, as: declaration.type, into: content
            ) { response in
                let read = precondition.version(of: response.head, isRead: true)
                weakTags.note(response, of: declaration, reader, by: manager)
                if exists {
                    return QueueAction<Void>(object, version: read) {
                        (queue, context) throws(PersistenceError) in
                        if precondition.isOfField, let object = context.object {
                            try context.tables.setTag(read, of: object.key)
                        }
                        guard context.image != nil else {
                            // It would be read for ever.
                            return queue.forgetReading(object)
                        }
                        // A replica that lags behind has an older image.
                        var generator = context.random
                        queue.repeatReading(object, at: context.date, using: &generator)
                    }
                }
                // There is no row that the import could compare.
                let version = reader.version(in: response) ?? read
                let image = manager.attributes(of: response, in: rules.model)
                return QueueAction<Void>(object, concernsConnected: true) {
                    (queue, context) throws(PersistenceError) in
                    guard let object = context.object else { return }
                    let ended = queue.compare(
                        image, ofDeleted: object, version: version, at: context.date)
                    for discarded in ended {
                        try context.tables.note(
                            "discarded", detail: nil, of: discarded.entry, discarded.object,
                            at: context.date)
                    }
                    if version == nil { queue.forgetReading(object) }
                }
            }
        } catch let error as NetworkingError where [404, 410].contains(error.status) {
            try await perform(
                QueueAction<Void>(object) { (queue, _) throws(PersistenceError) in
                    queue.takeAbsence(of: object)
                })
        } catch let error as NetworkingError {
            guard error.head == nil || error.status.map({ $0 >= 500 || $0 == 429 }) == true else {
                return try await perform(
                    QueueAction<Void>(object) { (queue, _) throws(PersistenceError) in
                        queue.forgetReading(object)
                    })
            }
            try await perform(
                QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                    var generator = context.random
                    queue.postponeReading(object, at: context.date, using: &generator)
                })
        } catch is OutboxError {
            return
        }
    }

    /// Reads the object that the server has in place of a new one, if it may be that of another creation, and gives
    /// it to that.
    ///
    /// - Returns: `false` if the new object adopts it.
    private func comparesWithRivals(
        _ object: EditedObject, _ reader: RepresentationReader
    ) async throws -> Bool {
        let (recorder, manager, rules) = (recorder, manager, rules)
        guard let declaration = rules.declarations[object.entity] else { return false }
        let found = try await content.read { context -> (FrozenRequest, StoredValue)? in
            try context.rows.read { database in
                let tables = recorder.tables(database)
                let keys = try Self.comparedKeys(with: object, in: tables)
                let queue = rules.queue(try tables.load(keys), next: try tables.next)
                guard let edits = queue.objects[object],
                    let identity = edits.entries.first?.existing, !queue.rivals(of: object).isEmpty
                else { return nil }
                let writer = RequestWriter(
                    rules: rules, manager: manager, tables: tables, context: context)
                return (try writer.read(object, edits), identity)
            }
        }
        guard let (frozen, identity) = found else { return false }
        let request = try freshRequest(frozen)
        let images = LastImage()
        try await manager.sendFrozen(request, of: nil, as: declaration.type, into: content) {
            response in
            images.set(reader.image(in: response))
            return QueueAction<Void>(nil) { (_, _) throws(PersistenceError) in }
        }
        let image = images.image
        let action = QueueAction<Bool>(nil) { (queue, context) throws(PersistenceError) in
            let keys = try Self.comparedKeys(with: object, in: context.tables)
            let loaded = try context.tables.load(keys)
            var matched = rules.queue(loaded, next: queue.next)
            guard matched.match(existing: image, with: identity, of: object) else { return false }
            try context.tables.store(matched, since: loaded, at: context.date)
            queue.load([:], predecessors: [:], next: matched.next)
            return true
        }
        try await perform(action)
        return action.result == true
    }

    /// Returns the keys of an object and of the new objects of its entity that the server may have.
    private static func comparedKeys(
        with object: EditedObject, in tables: OutboxTables
    ) throws(PersistenceError) -> [Int64] {
        let others = try tables.unansweredCreations().filter {
            $0.entity == object.entity && $0 != object
        }
        return others.map(\.key) + [object.key]
    }

    // MARK: Requests

    /// Writes a request that concerns an object, with its edits as they are now.
    private func write<Written: Sendable>(
        _ object: EditedObject,
        _ written: @escaping @Sendable (RequestWriter, ObjectEdits) throws -> Written
    ) async throws -> Written {
        let (recorder, manager, rules) = (recorder, manager, rules)
        return try await content.read { context in
            try context.rows.read { database in
                let tables = recorder.tables(database)
                let queue = try OutboxPlan.queue(tables, rules, of: [object.key])
                guard let edits = queue.objects[object] else {
                    throw OutboxError(.unknownObject, "the object has no edits any more")
                }
                let writer = RequestWriter(
                    rules: rules, manager: manager, tables: tables, context: context)
                return try written(writer, edits)
            }
        }
    }

    /// Returns a request whose response no cache may answer.
    private func freshRequest(_ frozen: FrozenRequest) throws -> TransportRequest {
        var request = try frozen.transportRequest(for: manager.client.principal)
        request.cachePolicy = .ignore
        return request
    }

    // MARK: Searching

    /// Searches the server for an object whose creation may have had its effect.
    func probe(_ object: EditedObject) async throws {
        guard let declaration = rules.declarations[object.entity],
            let reader = readers[object.entity],
            let recognizer = declaration.creation.recognizer
        else { return }
        let began = manager.client.clock.date
        do {
            let (frozen, value) = try await write(object) { writer, edits in
                (
                    try writer.search(object, edits),
                    edits.entries.first?.values[recognizer.property] ?? .null
                )
            }
            let request = try freshRequest(frozen)
            try await manager.sendFrozen(request, of: nil, as: declaration.type, into: content) {
                response in
                let found = reader.identities(
                    in: response, where: recognizer.property, is: value)
                return QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                    guard let object = context.object else { return }
                    var generator = context.random
                    // Several objects with a value that no other should have: the user decides.
                    if found.count > 1 { return queue.leaveUncertain(object) }
                    queue.record(
                        probe: found.first.map {
                            OutboxAnswer.Response(status: 200, identity: $0)
                        }, of: object, beganAt: began, at: context.date, using: &generator)
                }
            }
        } catch let error as NetworkingError {
            if error.status == 404 || error.status == 410 {
                // There is no such list, or no object in it.
                return try await perform(
                    QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                        guard let object = context.object else { return }
                        var generator = context.random
                        queue.record(
                            probe: nil, of: object, beganAt: began, at: context.date,
                            using: &generator)
                    })
            }
            try await perform(
                QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                    guard let object = context.object else { return }
                    var generator = context.random
                    queue.postponeReading(object, at: context.date, using: &generator)
                })
        } catch is OutboxError {
            try await perform(
                QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                    if let object = context.object { queue.leaveUncertain(object) }
                })
        }
    }
}
