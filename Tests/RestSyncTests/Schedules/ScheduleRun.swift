// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// A program, a server and a file, on which a schedule runs, beside the model of what the file may contain.
actor ScheduleRun {
    /// A difference between the file, or the result of a call, and the model.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An unsaved edit of a context.
    struct Edit {
        var value: ScheduledValue
        /// The stored value that the edit replaces; `nil` if it depends on when the context has taken commits.
        var base: ScheduledValue?
        /// A Boolean value that indicates whether the file had the value since, so that it may be no edit.
        var isResolved = false
    }

    /// A context of the program with its unsaved edits.
    struct Editor {
        let context: ManagedObjectContext
        var edits: [ObjectName: [String: Edit]] = [:]
    }

    /// A new ticket of the first context.
    struct Draft {
        let number: Int
        let ticket: Ticket
        /// The identity that the program has chosen; `nil` for that of the server.
        let id: Int?
        var isSaved = false

        var name: ObjectName { .ticket(id ?? -number) }
        var row: ScheduleModel.Row {
            ScheduleModel.emptyRow(name).merging(["title": "d\(number)", "state": "open"]) { $1 }
        }
    }

    let temporary: TemporaryStore
    let transport = ScheduledTransport()
    let api: ObjectManager
    private let file: ScheduledFile
    var server = ScheduledServer()
    var model = ScheduleModel()
    var user = ScheduledServer.users[0]

    /// The program's store, and another one of the same file.
    var stores: [ManagedObjectStore] = []
    /// The numbers of resets and openings of each store, to which flights belong.
    var generations = [0, 0]
    /// The number of the last transaction of each store, which the other one does not compare.
    var lastWrites = [0, 0]
    /// The contexts of the first store.
    var editors: [Editor] = []
    var drafts: [Draft] = []
    var draftCount = 0
    var flights: [Int: Flight] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    var lastFlight = 0
    var outcomes: [Int: Result<PageTraversalResult?, any Error>] = [:]
    /// The greatest number of an answered request for each list of a store.
    var answered: [String: Int] = [:]
    private(set) var trace: [String] = []
    private(set) var counts: [String: Int] = [:]

    init() async throws {
        temporary = try await TemporaryStore([Project.self, Ticket.self, Account.self])
        file = try ScheduledFile(path: temporary.store.url.path)
        var client = try HTTPClient(baseURL: "http://schedule.example/", transport: transport)
        client.principal = Principal(user)
        client.defaultHeaders[.authorization] = user
        api = ObjectManager(client: client)
        try api.setRequestFormat(.json)
        try api.add(Route(Ticket.self, "tickets", methods: .post))
        try api.add(Route(Ticket.self, "tickets/:id"))
        try api.add(RequestDescriptor(RequestMapping(for: Ticket.self, ["id", "title", "state"])))
        try api.addFetchRequestRule(at: "projects/:id/tickets") { arguments in
            let id = Int(arguments["id"] ?? "") ?? 0
            return FetchRequest(Ticket.self, where: { $0.project.id == id })
        }
        stores = [temporary.store, try await Self.open(temporary.store.url)]
        resetEditors()
    }

    private static func open(_ url: URL) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: url, entities: Project.self, Ticket.self, Account.self,
            configuration: StoreConfiguration(pollingInterval: .seconds(3600)))
    }

    // MARK: Running

    /// Runs a schedule, delivers all answers, reads all lists, and compares the file with the server.
    func run(_ steps: [ScheduleStep]) async throws {
        for step in steps {
            note("\(step)")
            try await perform(step)
            try check()
        }
        try await heal()
        for store in stores { try store.close() }
        try file.close()
    }

    /// Ends all calls after a failure.
    func abandon() async {
        for (id, task) in tasks where flights[id] != nil {
            task.cancel()
            await task.value
        }
        for store in stores { try? store.close() }
    }

    func note(_ text: String) { trace.append(text) }

    func count(_ name: String) { counts[name, default: 0] += 1 }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Failure(description: text()) }
    }

    /// Creates new contexts, as after a reset.
    func resetEditors() {
        editors = [
            Editor(context: stores[0].makeContext()), Editor(context: stores[0].makeContext()),
        ]
        drafts = []
    }

    /// Closes a store whose file another one has reset, and opens it again.
    func reopen(_ index: Int) async throws {
        try stores[index].close()
        stores[index] = try await Self.open(temporary.store.url)
        generations[index] += 1
        if index == 0 { resetEditors() }
    }

    // MARK: Comparing

    func check() throws {
        let actual = try file.rows()
        if let difference = model.difference(from: actual) {
            throw Failure(description: difference)
        }
        for index in editors.indices { try check(index) }
    }

    /// Compares what a context shows with the file and the edits.
    private func check(_ index: Int) throws {
        let context = editors[index].context
        // The commits of the other store are not noticed by themselves.
        context.refreshAllObjects()
        var hasVanished = false
        for (name, edits) in editors[index].edits {
            guard let row = model.rows[name] else {
                hasVanished = true
                continue
            }
            for (property, edit) in edits where row[property] == edit.value {
                editors[index].edits[name]?[property]?.isResolved = true
            }
        }
        // An edit of a row that is gone cannot be saved.
        if hasVanished { return rollBack(index) }
        var shown: Set<Int> = []
        for ticket in try context.fetch(Ticket.self) where !isUnsavedDraft(ticket) {
            guard let id = ticket.id else { continue }
            let name = ObjectName.ticket(id)
            try expect(shown.insert(id).inserted, "context \(index) shows \(name) twice")
            let values = ["title": ticket.title ?? "-", "state": ticket.state ?? "-"]
            for (property, value) in values.sorted(by: { $0.key < $1.key }) {
                let stored = model.rows[name]?[property] ?? "no row"
                let edit = editors[index].edits[name]?[property]
                let isKnown =
                    value == (edit?.value ?? stored) || edit?.isResolved == true && value == stored
                try expect(
                    isKnown,
                    "context \(index) shows \(name).\(property) as \(value), not as "
                        + (edit.map { "the edit \($0.value)" } ?? stored))
                if let edit, edit.isResolved, value != edit.value {
                    editors[index].edits[name]?[property] = nil
                }
            }
        }
    }

    func isUnsavedDraft(_ ticket: Ticket) -> Bool {
        drafts.contains { !$0.isSaved && $0.ticket === ticket }
    }

    /// Discards the unsaved changes of a context.
    func rollBack(_ index: Int) {
        editors[index].context.rollback()
        editors[index].edits = [:]
        if index == 0 { drafts.removeAll { !$0.isSaved } }
    }
}
