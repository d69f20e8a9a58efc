// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The rows of the file, as another program reads them.
final class ScheduledFile: Sendable {
    private let connection: DatabaseQueue

    init(path: String) throws { connection = try DatabaseQueue(path: path) }

    func close() throws { try connection.close() }

    /// Returns the rows by the names of their objects.
    func rows() throws -> [ObjectName: ScheduleModel.Row] {
        let sql = """
            SELECT 0, id, name, NULL, NULL, NULL, NULL FROM Project
            UNION ALL SELECT 1, id, title, state, note,
                (SELECT p.id FROM Project p WHERE p.restkit_key = t.project),
                (SELECT a.id FROM Account a WHERE a.restkit_key = t.owner) FROM Ticket t
            UNION ALL SELECT 2, id, login, email, NULL, NULL, NULL FROM Account
            """
        var rows: [ObjectName: ScheduleModel.Row] = [:]
        for row in try connection.read({ try Row.fetchAll($0, sql: sql) }) {
            guard let kind = ObjectName.Kind(rawValue: row[0]) else { continue }
            let title: String? = row[2]
            // A new ticket without identity has its number in its title.
            let number = title.flatMap { Int($0.dropFirst()) } ?? 0
            let id: Int? = row[1]
            let name = ObjectName(kind: kind, id: id ?? -number)
            guard rows[name] == nil else {
                throw ScheduleRun.Failure(description: "there are two rows of \(name)")
            }
            var values: ScheduleModel.Row = [:]
            for (property, value) in zip(kind.properties, row.databaseValues.dropFirst(2)) {
                values[property] =
                    value.isNull ? "-" : String(describing: value.storage.value ?? "")
            }
            rows[name] = values
        }
        return rows
    }
}
