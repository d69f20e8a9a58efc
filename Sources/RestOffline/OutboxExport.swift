// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB
import RestOutbox
public import RestPersistence
import RestTransport

extension ManagedObjectStore {
    /// Returns the edits that were not sent yet as JSON that a person can read, such as before they are discarded.
    ///
    /// Refused and quarantined entries are included. The export has the values of the edits, what the server had,
    /// and the written requests, without header fields and queries, so that it contains no credentials. It works
    /// without an outbox, so that the edits of a store can be exported whose declarations have changed.
    ///
    /// - Parameter byteLimit: The maximum number of bytes of each body and of each binary value; 16 KiB by default.
    /// - Returns: An object with the member `entries`, in the order in which they were saved.
    /// - Throws: `PersistenceError` of the store.
    /// - Complexity: O(*n*) in the number of entries, and in memory.
    public func exportUnsentEdits(byteLimit: Int = 16 * 1024) async throws -> Data {
        let model = model
        return try await content.database.readSnapshot { database in
            try OutboxExport(database: database, model: model, byteLimit: byteLimit).data()
        }
    }
}

/// The unsent edits of a file as JSON.
private struct OutboxExport {
    private struct Entry: Encodable {
        let sequence: Int64
        let entity: String
        let key: Int64
        let identity: ExportedValue?
        let kind: String
        let state: String
        let status: Int64?
        let principal: String?
        let saved: Date?
        let values: [String: ExportedValue]
        let base: [String: ExportedValue]?
        let request: Request?
        let answer: String?
    }

    private struct Request: Encodable {
        let method: String
        let path: String
        let body: String
        let bodyByteCount: Int
        let sends: Int64
    }

    private struct Content: Encodable {
        let entries: [Entry]
    }

    let database: Database
    let model: ManagedObjectModel
    let byteLimit: Int

    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(Content(entries: try entries()))
    }

    private func entries() throws(PersistenceError) -> [Entry] {
        guard try UnsentEdits(database: database).isPresent else { return [] }
        let statement = try PreparedStatement(
            """
            SELECT e.sequence, e.entity, e.key, o.identity, e.kind, e.state, e.detail, e.principal, \
            e.created, e."values", e.problem, a.method, a.url, a.body, a.sends, e.closed, o."row" \
            FROM \(UnsentEdits.entries) e LEFT JOIN \(UnsentEdits.objects) o ON o.key = e.key \
            LEFT JOIN \(UnsentEdits.attempts) a ON a.entry = e.sequence ORDER BY e.sequence
            """, in: database)
        var entries: [Entry] = []
        while try statement.step() {
            let (entity, key, kind) = (
                statement.text(1), statement.integer(2), statement.text(4)
            )
            let base = try bases(of: key)
            var values = StoredImage(text: statement.text(9))?.image
            if values == nil, kind == "deletion" {
                values = StoredImage(text: statement.text(16))?.image
            }
            if values == nil, statement.integer(15) == 0 {
                values = try row(entity, key, only: kind == "update" ? Set(base.keys) : nil)
            }
            entries.append(
                Entry(
                    sequence: statement.integer(0), entity: entity, key: key,
                    identity: statement.value(3).isNull ? nil : exported(statement.value(3)),
                    kind: kind, state: statement.text(5), status: statement.optionalInteger(6),
                    principal: statement.value(7).isNull ? nil : statement.text(7),
                    saved: statement.date(8), values: (values ?? [:]).mapValues(exported),
                    base: base.isEmpty ? nil : base.mapValues(exported),
                    request: request(statement), answer: body(statement.value(10))?.text))
        }
        return entries
    }

    private func request(_ row: borrowing PreparedStatement) -> Request? {
        if row.value(11).isNull { return nil }
        let body = body(row.value(13))
        let path = row.text(12).prefix { $0 != "?" && $0 != "#" }
        return Request(
            method: row.text(11), path: String(path), body: body?.text ?? "",
            bodyByteCount: body?.count ?? 0, sends: row.integer(14))
    }

    /// Returns the first bytes as text, or in base 64 if they are not text, and the number of all bytes.
    private func body(_ value: StoredValue) -> (text: String, count: Int)? {
        guard case .data(let data) = value else { return nil }
        // The limit can divide a character, which has four bytes at most.
        for dropped in 0..<4 {
            let part = data.prefix(byteLimit).dropLast(data.count > byteLimit ? dropped : 0)
            if let text = String(data: part, encoding: .utf8) { return (text, data.count) }
        }
        return (data.prefix(byteLimit).base64EncodedString(), data.count)
    }

    private func exported(_ value: StoredValue) -> ExportedValue {
        guard case .data(let data) = value, data.count > byteLimit else {
            return ExportedValue(value)
        }
        return ExportedValue(.data(data.prefix(byteLimit)))
    }

    private func bases(of key: Int64) throws(PersistenceError) -> ObjectImage {
        let statement = try PreparedStatement(
            "SELECT property, value FROM \(UnsentEdits.bases) WHERE key = ?1", in: database)
        try statement.bind(.integer(key), at: 1)
        var image: ObjectImage = [:]
        while try statement.step() { image[statement.text(0)] = statement.value(1) }
        return image
    }

    /// Returns the values of a row; `nil` if there is none.
    private func row(
        _ entity: String, _ key: Int64, only names: Set<String>?
    ) throws(PersistenceError) -> ObjectImage? {
        guard let index = model.index(of: entity) else { return nil }
        let layout = model.layouts[index]
        var image: ObjectImage?
        let query = RowQuery.rows(of: layout, keys: [key])
        try query.run(in: database, width: layout.width) { _, row in
            var values: ObjectImage = [:]
            for (column, value) in zip(layout.columns, row)
            where names?.contains(column.name) ?? !value.isNull {
                values[column.name] = value
            }
            image = values
        }
        return image
    }
}

/// A stored value as JSON: binary data is text in base 64.
struct ExportedValue: Encodable {
    private let value: StoredValue

    init(_ value: StoredValue) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .integer(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .double(let value) where value.isFinite: try container.encode(value)
        case .double(let value): try container.encode(String(value))
        case .data(let value): try container.encode(value.base64EncodedString())
        }
    }

    /// The value as JSON.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(self) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}
