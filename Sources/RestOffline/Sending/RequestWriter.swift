// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestNetworking
import RestOutbox
import RestPersistence
import RestSync
import RestTransport

/// Writes the requests of entries by the routes and request descriptors of a manager.
///
/// The objects that are written have the values of the entry, not those that were saved since.
struct RequestWriter {
    let rules: OutboxRules
    let manager: ObjectManager
    let tables: OutboxTables
    let context: ManagedObjectContext

    /// Returns the request of the first entry of an object.
    func request(
        for object: EditedObject, _ edits: ObjectEdits, later: ObjectImage
    ) throws -> FrozenRequest {
        guard let declaration = rules.declarations[object.entity], let entry = edits.entries.first,
            let index = rules.model.index(of: object.entity)
        else { throw OutboxError(.unknownObject, "the outbox does not send \(object.entity)") }
        let written = WrittenObject(
            object: object, edits: edits, declaration: declaration,
            layout: rules.model.layouts[index])
        switch entry.kind {
        case .creation: return try creation(written, later)
        case .update: return try update(written, later)
        case .deletion: return try deletion(written)
        case .command: return try command(entry, written)
        }
    }

    /// Returns the request that reads an object.
    func read(
        _ object: EditedObject, _ edits: ObjectEdits
    ) throws -> FrozenRequest {
        guard let declaration = rules.declarations[object.entity],
            let index = rules.model.index(of: object.entity)
        else { throw OutboxError(.unknownObject, "the outbox does not send \(object.entity)") }
        let layout = rules.model.layouts[index]
        let written = WrittenObject(
            object: object, edits: edits, declaration: declaration, layout: layout)
        var values: [Int: StoredValue] = [:]
        if let existing = edits.entries.first?.existing, let column = layout.identity.first {
            values[column] = existing
        }
        let subject = try self.object(written, values)
        return frozen(try manager.outboxRequest(.get, at: .object, subject, since: nil))
    }

    // MARK: Kinds

    private func creation(_ object: WrittenObject, _ later: ObjectImage) throws -> FrozenRequest {
        var values = object.edits.values(at: 0)
        for property in later.keys { values[property] = .null }
        let subject = try self.object(object, object.columns(values))
        let rule = object.declaration.creation
        if rule.isOfClientIdentity {
            var request = try manager.outboxRequest(.put, at: .object, subject, since: nil)
            try request.setHeader("*", for: "If-None-Match")
            return frozen(request, isConditional: true)
        }
        var request = try manager.outboxRequest(.post, at: .object, subject, since: nil)
        guard let field = rule.field else { return frozen(request) }
        let key = UUID().uuidString.lowercased()
        try request.setHeader(rule.isQuoted ? "\"\(key)\"" : key, for: field)
        return frozen(request, key: key)
    }

    private func update(_ object: WrittenObject, _ later: ObjectImage) throws -> FrozenRequest {
        let base = object.edits.left(before: 0)
        var values = object.edits.left(before: 1)
        values.merge(object.edits.values(at: 0)) { $1 }
        for property in later.keys { values[property] = base[property] }
        var (new, old) = (object.columns(values), object.columns(base))
        let version = object.edits.version
        let isInBody = !object.declaration.sendsVersionInField
        if let column = object.versionColumn, let version, isInBody {
            // Another version before, so that the differences contain this one.
            (new[column], old[column]) = (.integer(version), .integer(version &- 1))
        }
        let subject = try self.object(object, new)
        let method = object.declaration.updateMethod
        let former = method == .patch ? try self.object(object, old) : nil
        var request = try manager.outboxRequest(method, at: .object, subject, since: former)
        if let version = object.edits.version, object.versionColumn != nil, !isInBody {
            try request.setHeader("\"\(version)\"", for: "If-Match")
        }
        return frozen(request, isConditional: object.edits.version != nil)
    }

    private func deletion(_ object: WrittenObject) throws -> FrozenRequest {
        var request = try manager.outboxRequest(
            .delete, at: .object, try self.object(object, [:]), since: nil)
        guard let version = object.edits.version, object.declaration.sendsVersionInField else {
            return frozen(request)
        }
        try request.setHeader("\"\(version)\"", for: "If-Match")
        return frozen(request, isConditional: true)
    }

    private func command(_ entry: OutboxEntry, _ object: WrittenObject) throws -> FrozenRequest {
        guard let command = entry.command, let method = HTTPRequest.Method(command.method) else {
            throw OutboxError(.unknownEntry, "the command cannot be read")
        }
        let subject = try self.object(object, [:])
        let path = try PathPattern(command.path).interpolated(from: subject).path
        var request = try manager.request(method, at: path)
        request.body = command.body.isEmpty ? .empty : .bytes(Array(command.body))
        if let type = command.contentType { try request.setHeader(type, for: "Content-Type") }
        guard case .idempotencyKey = command.remedy else { return frozen(request) }
        let key = UUID().uuidString.lowercased()
        try request.setHeader("\"\(key)\"", for: "Idempotency-Key")
        return frozen(request, key: key)
    }

    // MARK: Objects

    /// Returns the object with other values, which are not saved.
    private func object(
        _ object: WrittenObject, _ values: [Int: StoredValue]
    ) throws(PersistenceError) -> ManagedObject {
        let layout = object.layout
        var changes = ChangeSet(model: rules.model)
        if object.edits.local == nil {
            var row = layout.defaults
            let deleted = try tables.deletedRow(object.object.key) ?? [:]
            for (column, description) in layout.columns.enumerated() {
                if let value = deleted[description.name] { row[column] = value }
            }
            if let column = layout.identity.first, row[column].isNull,
                let identity = object.edits.identity
            {
                // The server has given it when the row was deleted already.
                row[column] = identity
            }
            for (column, value) in values { row[column] = value }
            changes.update(layout.table.index) {
                $0.insert(object.object.key, row, entity: layout.index)
            }
        } else {
            changes.update(layout.table.index) { changes in
                for (column, value) in values {
                    changes.set(
                        value, column, of: object.object.key, entity: layout.index, base: nil)
                }
            }
        }
        let id = ManagedObjectID(
            key: object.object.key, layout: layout, store: context.content.database.identity)
        return try context.rows.overlaid(by: changes).object(with: id)
    }

    private func frozen(
        _ request: TransportRequest, key: String? = nil, isConditional: Bool = false
    ) -> FrozenRequest {
        var fields: [String: String] = [:]
        for field in request.headerFields { fields[field.name.rawName] = field.value }
        var body = Data()
        if case .bytes(let bytes) = request.body.storage { body = Data(bytes) }
        return FrozenRequest(
            method: request.method.rawValue, path: request.url.requestText, fields: fields,
            body: body, idempotencyKey: key, isConditional: isConditional)
    }
}

/// An object whose request is written.
private struct WrittenObject {
    let object: EditedObject
    let edits: ObjectEdits
    let declaration: SentDeclaration
    let layout: EntityLayout

    var versionColumn: Int? {
        declaration.versionProperty.flatMap { layout.column(ofProperty: $0) }
    }

    func columns(_ image: ObjectImage) -> [Int: StoredValue] {
        var columns: [Int: StoredValue] = [:]
        for (property, value) in image {
            if let column = layout.column(ofProperty: property) { columns[column] = value }
        }
        return columns
    }
}

extension FrozenRequest {
    /// Returns the request with the principal whose credentials the client adds.
    func transportRequest(for principal: Principal?) throws(TransportError) -> TransportRequest {
        var request = TransportRequest(
            method: HTTPRequest.Method(method) ?? .get, url: try HTTPURL(parsing: path))
        for (name, value) in fields { try request.setHeader(value, for: name) }
        if !body.isEmpty { request.body = .bytes(Array(body)) }
        request.principal = principal
        return request
    }
}
