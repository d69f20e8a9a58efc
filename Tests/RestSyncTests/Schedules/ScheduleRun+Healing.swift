// SPDX-License-Identifier: Apache-2.0

import RestKit

/// The end of a schedule, after which the store has what the server has.
extension ScheduleRun {
    /// Delivers all answers, discards unsaved changes, reads all that the user sees, and compares it with the
    /// server.
    func heal() async throws {
        note("heal")
        while let id = flights.keys.min() {
            handle(id)
            try await deliver(flights[id]?.answer, to: id)
            try check()
        }
        for index in editors.indices { rollBack(index) }
        let projects = server.projects(of: user)
        try await read(.walk(language: "en", deletes: true))
        for project in projects { try await read(.list(project: project, language: "en")) }
        try await read(.accounts)
        let tickets = projects.flatMap { server.tickets(of: $0) }
        for ticket in tickets { try await read(.ticket(ticket)) }
        try compareWithServer(projects, tickets)
        try await compareLists(projects)
        let damages = try await stores[0].checkIntegrity(quickly: true)
        try expect(damages.isEmpty, "the file is damaged: \(damages)")
    }

    /// Performs a call whose requests are answered at once.
    private func read(_ kind: Flight.Kind) async throws {
        let id = try await launch(kind)
        while flights[id] != nil {
            handle(id)
            try await deliver(flights[id]?.answer, to: id)
        }
        try check()
    }

    /// Compares the rows of what the user sees with the server.
    private func compareWithServer(_ projects: [Int], _ tickets: [Int]) throws {
        var expected: [ObjectName: ScheduleModel.Row] = [:]
        for project in projects {
            server.project(project, in: "en", detailed: false).collect(into: &expected)
        }
        for ticket in tickets {
            server.ticket(ticket, in: "en", detailed: true).collect(into: &expected)
        }
        for account in server.accounts.keys {
            server.account(account, detailed: true).collect(into: &expected)
        }
        for (name, values) in expected.sorted(by: { $0.key < $1.key }) {
            for (property, value) in values.sorted(by: { $0.key < $1.key }) {
                let stored = model.rows[name]?[property] ?? "no row"
                try expect(
                    stored == value,
                    "after reading all lists, \(name).\(property) is \(stored), and \(value) on the "
                        + "server")
            }
        }
    }

    /// Compares the stored lists with those of the server.
    private func compareLists(_ projects: [Int]) async throws {
        let (api, store) = (api, stores[0])
        func ids<Object: ManagedEntity>(
            _ type: Object.Type, _ path: String, isPaged: Bool,
            _ id: @escaping @Sendable (Object) -> Int?
        ) async throws -> [Int?]? {
            let list = try await api.collection(at: path, in: store, isPaged: isPaged)
            guard let objectIDs = list?.objectIDs else { return nil }
            return try await store.read { try $0.objects(type, with: objectIDs).map(id) }
        }
        let stored = try await ids(Project.self, "projects?lang=en", isPaged: true) { $0.id }
        try expect(stored == projects, "the list of projects is \(stored as Any)")
        for project in projects {
            let path = "projects/\(project)/tickets?lang=en"
            let stored = try await ids(Ticket.self, path, isPaged: false) { $0.id }
            try expect(
                stored == server.tickets(of: project),
                "the list of the tickets of project \(project) is \(stored as Any)")
        }
    }
}
