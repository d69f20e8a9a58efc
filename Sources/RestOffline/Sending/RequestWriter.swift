// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
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
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - edits: Its edits.
    ///   - draft: The content of the request.
    ///   - row: Its stored row; `nil` to read it.
    /// - Returns: The request.
    /// - Throws: `OutboxError`, `NetworkingError` or `PersistenceError` if the request cannot be written.
    func request(
        for object: EditedObject, _ edits: ObjectEdits, _ draft: RequestDraft, row: [StoredValue]?
    ) throws -> FrozenRequest {
        guard let declaration = rules.declarations[object.entity], let entry = edits.entries.first,
            let index = rules.model.index(of: object.entity)
        else { throw OutboxError(.unknownObject, "the outbox does not send \(object.entity)") }
        let written = WrittenObject(
            object: object, edits: edits, declaration: declaration,
            layout: rules.model.layouts[index], row: row)
        switch entry.kind {
        case .creation: return try creation(written, draft)
        case .update:
            if let member = draft.member { return try change(member, of: written) }
            return try update(written, draft)
        case .deletion: return try deletion(written)
        case .command: return try command(entry, written)
        }
    }

    /// Returns an object with the values of its first entry.
    func object(
        of edits: ObjectEdits, _ object: EditedObject
    ) throws -> ManagedObject {
        guard let declaration = rules.declarations[object.entity],
            let index = rules.model.index(of: object.entity)
        else { throw OutboxError(.unknownObject, "the outbox does not send \(object.entity)") }
        let written = WrittenObject(
            object: object, edits: edits, declaration: declaration,
            layout: rules.model.layouts[index])
        let values = edits.values(at: 0)
        return try self.object(written, written.columns(values), members: written.members(values))
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

    private func creation(_ object: WrittenObject, _ draft: RequestDraft) throws -> FrozenRequest {
        let subject = try self.object(
            object, object.columns(draft.rows), members: object.members(draft.rows))
        let rule = object.declaration.creation
        if rule.isOfClientIdentity {
            var request = try manager.outboxRequest(.put, at: .object, subject, since: nil)
            try request.setHeader("*", for: "If-None-Match")
            return frozen(request, isConditional: true)
        }
        var request = try manager.outboxRequest(.post, at: .object, subject, since: nil)
        guard let place = rule.keyPlace else { return frozen(request) }
        let key = try request.addKey(in: place)
        return frozen(request, key: key)
    }

    private func update(_ object: WrittenObject, _ draft: RequestDraft) throws -> FrozenRequest {
        let base = object.edits.left(before: 0)
        var values = object.edits.left(before: 1)
        for property in object.edits.values(at: 0).keys { values[property] = base[property] }
        values.merge(draft.rows) { $1 }
        var (new, old) = (object.columns(values), object.columns(base))
        var isConditional = false
        if case .bodyVersion = object.declaration.precondition,
            case .integer(let version) = object.edits.version, let column = object.versionColumn
        {
            // Another version before, so that the differences contain this one.
            (new[column], old[column]) = (.integer(version), .integer(version &- 1))
            isConditional = true
        }
        let subject = try self.object(object, new, members: object.members(values))
        let method = object.declaration.updateMethod
        let former =
            method == .patch
            ? try self.object(object, old, members: object.members(base)) : nil
        var request = try manager.outboxRequest(method, at: .object, subject, since: former)
        if try setCondition(of: object, &request) { isConditional = true }
        return frozen(request, isConditional: isConditional)
    }

    /// Returns the request that adds or removes a member.
    private func change(
        _ change: RequestDraft.MemberChange, of object: WrittenObject
    ) throws -> FrozenRequest {
        guard let requests = object.declaration.memberRequests[change.property],
            let name = object.declaration.entity.members[change.property]?.destination,
            let index = rules.model.index(of: name)
        else { throw OutboxError(.unknownEntry, "the request of the member is not declared") }
        let declared = change.isAdded ? requests.add : requests.remove
        let layout = rules.model.layouts[index]
        let edits = try tables.load([change.key]).objects.first?.value
        let member = try overlaid(
            EditedObject(entity: name, key: change.key), layout,
            isDeleted: edits.map { $0.local == nil } ?? false, identity: edits?.identity, [:],
            members: [:])
        let subject = MemberValues(object: try self.object(object, [:]), member: member)
        let path = try PathPattern(declared.path).interpolated(from: subject).path
        var request = try manager.request(declared.method, at: path)
        if let parameter = declared.parameter, let column = layout.identity.first {
            let identity = try member.value(named: layout.columns[column].name)
            let body = try JSONSerialization.data(
                withJSONObject: [parameter: identity ?? NSNull()], options: .sortedKeys)
            request.body = .bytes(Array(body))
            try request.setHeader("application/json", for: "Content-Type")
        }
        return frozen(request)
    }

    private func deletion(_ object: WrittenObject) throws -> FrozenRequest {
        var request = try manager.outboxRequest(
            .delete, at: .object, try self.object(object, [:]), since: nil)
        let isConditional = try setCondition(of: object, &request)
        return frozen(request, isConditional: isConditional)
    }

    /// Adds the header field of the precondition.
    ///
    /// - Returns: `false` if there is none.
    private func setCondition(
        of object: WrittenObject, _ request: inout TransportRequest
    ) throws -> Bool {
        guard let version = object.edits.version,
            let field = try object.declaration.precondition.field(version)
        else { return false }
        try request.setHeader(field.value, for: field.name)
        return true
    }

    /// Returns the request that searches the server for a new object.
    func search(_ object: EditedObject, _ edits: ObjectEdits) throws -> FrozenRequest {
        guard let recognizer = rules.declarations[object.entity]?.creation.recognizer else {
            throw OutboxError(.unknownObject, "\(object.entity) is not recognized by an attribute")
        }
        let text: String
        switch edits.entries.first?.values[recognizer.property] {
        case .text(let value): text = value
        case .integer(let value): text = String(value)
        default:
            throw OutboxError(
                .unknownObject, "the object has no value by which it could be recognized")
        }
        let request = ObjectRequest<ObjectResponse>(
            .get, at: recognizer.collection, parameters: [recognizer.parameter: text])
        return frozen(try manager.assemble(request).transportRequest)
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
        if !command.parts.isEmpty {
            // The body is written from the files each time it is sent, with the same boundary.
            try request.setHeader(FormBoundary().contentType, for: "Content-Type")
        }
        guard case .idempotencyKey = command.remedy else { return frozen(request) }
        if case .member = command.keyPlace, !command.parts.isEmpty {
            // A field of the form, which is written with the files.
            return frozen(request, key: TransportRequest.newKey)
        }
        let key = try request.addKey(in: command.keyPlace)
        return frozen(request, key: key)
    }

    // MARK: Objects

    /// Returns the object with other values, which are not saved.
    private func object(
        _ object: WrittenObject, _ values: [Int: StoredValue],
        members: [String: Set<Int64>] = [:]
    ) throws(PersistenceError) -> ManagedObject {
        try overlaid(
            object.object, object.layout, isDeleted: object.edits.local == nil,
            identity: object.edits.identity, values, members: members, row: object.row)
    }

    private func overlaid(
        _ object: EditedObject, _ layout: EntityLayout, isDeleted: Bool, identity: StoredValue?,
        _ values: [Int: StoredValue], members: [String: Set<Int64>], row: [StoredValue]? = nil
    ) throws(PersistenceError) -> ManagedObject {
        var changes = ChangeSet(model: rules.model)
        if isDeleted {
            var row = layout.defaults
            let deleted = try tables.deletedRow(object.key) ?? [:]
            for (column, description) in layout.columns.enumerated() {
                if let value = deleted[description.name] { row[column] = value }
            }
            if let column = layout.identity.first, row[column].isNull, let identity {
                // The server has given it when the row was deleted already.
                row[column] = identity
            }
            for (column, value) in values { row[column] = value }
            changes.update(layout.table.index) {
                $0.insert(object.key, row, entity: layout.index)
            }
        } else {
            changes.update(layout.table.index) { changes in
                for (column, value) in values {
                    changes.set(value, column, of: object.key, entity: layout.index, base: nil)
                }
                guard let column = layout.identity.first, values[column] == nil, let identity
                else { return }
                // The row does not have it if the answer to the creation could not be imported.
                changes.set(identity, column, of: object.key, entity: layout.index, base: nil)
            }
        }
        for (property, wanted) in members {
            guard let end = layout.linkEnd(ofProperty: property) else { continue }
            let stored = try tables.members(property, of: [object.key], layout)[object.key] ?? []
            for key in wanted.symmetricDifference(stored) {
                let pair = LinkPair(object.key, key, isForward: end.isForward)
                changes.updateLink(end.link) {
                    $0.set(pair, wanted.contains(key) ? LinkChange(isMember: true) : .removed)
                }
            }
        }
        let id = ManagedObjectID(
            key: object.key, layout: layout, store: context.content.database.identity)
        let overlaid = context.rows.overlaid(by: changes)
        guard let row, !isDeleted else { return try overlaid.object(with: id) }
        return try overlaid.rows.object(with: id, storedAs: row)
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
    /// The stored row; `nil` if it is not known.
    var row: [StoredValue]?

    var versionColumn: Int? {
        declaration.versionProperty.flatMap { layout.column(ofProperty: $0) }
    }

    /// Returns the members of relationships with join tables.
    func members(_ image: ObjectImage) -> [String: Set<Int64>] {
        image.filter { declaration.entity.members[$0.key] != nil }
            .compactMapValues { MemberSet($0)?.keys }
    }

    func columns(_ image: ObjectImage) -> [Int: StoredValue] {
        var columns: [Int: StoredValue] = [:]
        for (property, value) in image {
            if let column = layout.column(ofProperty: property) { columns[column] = value }
        }
        return columns
    }
}

/// The properties of an object, and those of a member of one of its relationships behind `member`.
private struct MemberValues: NamedValues {
    let object: ManagedObject
    let member: ManagedObject

    func value(named name: String) throws(MappingError) -> Any? {
        name == "member" ? member : try object.value(named: name)
    }
}

extension TransportRequest {
    fileprivate static var newKey: String { UUID().uuidString.lowercased() }

    /// Adds a new idempotency key, and returns it.
    fileprivate mutating func addKey(in place: IdempotencyKeyPlace) throws -> String {
        let key = Self.newKey
        switch place {
        case .field(let name, let isQuoted):
            try setHeader(isQuoted ? "\"\(key)\"" : key, for: name)
        case .member(let name):
            if case .empty = body.storage {
                body = .bytes(Array("{}".utf8))
                try setHeader("application/json", for: "Content-Type")
            }
            try addMember(name, key)
        }
        return key
    }

    /// Adds a member with text to the JSON object of the body.
    fileprivate mutating func addMember(_ name: String, _ text: String) throws(OutboxError) {
        guard case .bytes(let bytes) = body.storage,
            let document = try? Document(parsing: bytes), document.root.kind == .object,
            let start = bytes.firstIndex(of: UInt8(ascii: "{")),
            let member = try? JSONEncoder().encode([name: text])
        else {
            throw OutboxError(
                .invalidDeclaration, "the body has no JSON object to which the key could be added")
        }
        // The object of the member without its braces.
        var content = Array(member.dropFirst().dropLast())
        if document.root.count > 0 { content.append(UInt8(ascii: ",")) }
        body = .bytes(
            Array(bytes[...start]) + content + Array(bytes[bytes.index(after: start)...]))
    }
}

extension FrozenRequest {
    /// A Boolean value that indicates whether the request can be a part of another one: its body is JSON.
    var isBatchable: Bool {
        let type = fields.first { $0.key.lowercased() == "content-type" }?.value ?? ""
        let essence = type.prefix { $0 != ";" }.lowercased()
        if body.isEmpty { return true }
        return essence == "application/json" || essence.hasSuffix("+json")
    }

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
