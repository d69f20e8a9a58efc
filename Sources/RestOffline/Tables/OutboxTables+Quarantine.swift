// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence

/// The entries that are put aside, so that opening a file never fails because of them.
extension OutboxTables {
    /// Puts entries aside that cannot be read or sent with the present model, so that others go on.
    ///
    /// They are reported and never deleted.
    ///
    /// - Complexity: O(*n*) in the number of entries, if what is sent has changed since the last time.
    func quarantine() throws(PersistenceError) {
        let text = sent.entities.values.sorted { $0.name < $1.name }.map { entity in
            "\(entity.name)(\(entity.properties.sorted().joined(separator: ",")))"
        }.joined(separator: ";")
        let known = try PreparedStatement(
            "SELECT 1 FROM \(Self.state) WHERE declarations = ?1", in: database)
        try known.bind(.text(text), at: 1)
        if try known.step() { return }
        try quarantineAll()
        try removeUnusedTags()
        try run(
            PreparedStatement("UPDATE \(Self.state) SET declarations = ?1", in: database),
            [.text(text)])
    }

    private func quarantineAll() throws(PersistenceError) {
        let statement = try PreparedStatement(
            "SELECT DISTINCT entity FROM \(Self.entries)", in: database)
        var unknown: [String] = []
        while try statement.step() {
            let name = statement.text(0)
            if sent.entities[name] == nil { unknown.append(name) }
        }
        for name in unknown {
            try run(
                PreparedStatement(
                    "UPDATE \(Self.entries) SET state = ?2 WHERE entity = ?1", in: database),
                [.text(name), .text(StateText.quarantined)])
        }
        let states = [
            "waiting", "sending", "probing", "reading", "refused", "gone", "keyReused", "invalid",
            "conflicted", "uncertain", "abandoned", StateText.quarantined,
        ].map { "'\($0)'" }.joined(separator: ", ")
        let kinds = OutboxEntry.Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try run(
            PreparedStatement(
                "UPDATE \(Self.entries) SET state = ?1 WHERE state NOT IN (\(states)) "
                    + "OR kind NOT IN (\(kinds)) OR (\"values\" IS NOT NULL AND NOT json_valid(\"values\"))"
                    + " OR (command IS NOT NULL AND NOT json_valid(command))", in: database),
            [.text(StateText.quarantined)])
        // What is sent of a property that the model does not have any more is not known.
        for entity in sent.entities.values {
            let names = entity.properties.map { "'" + $0.replacing("'", with: "''") + "'" }
                .joined(separator: ", ")
            try run(
                PreparedStatement(
                    """
                    UPDATE \(Self.entries) SET state = ?2 WHERE entity = ?1 AND kind <> 'deletion' \
                    AND "values" IS NOT NULL AND EXISTS (SELECT 1 FROM json_each("values") v \
                    WHERE v.key NOT IN (\(names)))
                    """, in: database),
                [.text(entity.name), .text(StateText.quarantined)])
            try quarantine(editsOf: entity, except: names)
        }
    }

    /// Puts the edits of properties aside that are not sent any more, with their values.
    private func quarantine(
        editsOf entity: SentEntity, except names: String
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "SELECT key, property FROM \(Self.bases) "
                + "WHERE entity = ?1 AND property NOT IN (\(names)) ORDER BY key", in: database)
        try statement.bind(.text(entity.name), at: 1)
        var edits: [Int64: [String]] = [:]
        while try statement.step() {
            edits[statement.integer(0), default: []].append(statement.text(1))
        }
        if edits.isEmpty { return }
        guard let index = model.index(of: entity.name) else { return }
        let layout = model.layouts[index]
        var values: [Int64: ObjectImage] = [:]
        try RowQuery.rows(of: layout, keys: edits.keys.sorted()).run(
            in: database, width: layout.width
        ) { key, row in
            for property in edits[key] ?? [] {
                guard let column = layout.column(ofProperty: property) else { continue }
                values[key, default: [:]][property] = row[column]
            }
        }
        var next = try next
        for (key, properties) in edits.sorted(by: { $0.key < $1.key }) {
            let list = properties.map { "'" + $0.replacing("'", with: "''") + "'" }
                .joined(separator: ", ")
            try run(
                PreparedStatement(
                    """
                    INSERT INTO \(Self.entries) (sequence, key, entity, kind, principal, created, \
                    state, closed, "values") SELECT ?1, key, entity, 'update', principal, created, \
                    ?2, 1, ?3 FROM \(Self.entries) WHERE key = ?4 ORDER BY sequence DESC LIMIT 1
                    """, in: database),
                [
                    .integer(next), .text(StateText.quarantined),
                    StoredImage(values[key] ?? [:]).text, .integer(key),
                ])
            next += 1
            try run(
                PreparedStatement(
                    "DELETE FROM \(Self.bases) WHERE key = ?1 AND property IN (\(list))",
                    in: database),
                [.integer(key)])
        }
        try setNext(next)
        try run(
            PreparedStatement(
                "DELETE FROM \(Self.entries) WHERE entity = ?1 AND kind = 'update' AND closed = 0 "
                    + "AND key NOT IN (SELECT key FROM \(Self.bases))", in: database),
            [.text(entity.name)])
    }
}
