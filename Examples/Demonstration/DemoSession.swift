// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestCommands
import RestKit

/// The server, database and object manager that the demonstration's steps share.
struct DemoSession: Sendable {
    let server: DemoServer
    let file: DatabaseFile
    let console: Console
    let store: ManagedObjectStore
    let api: ObjectManager
    /// The transport of the manager.
    let connection: SeverableTransport

    /// Opens the database, and adds the descriptors and routes of the server's resources.
    init(server: DemoServer, file: DatabaseFile, console: Console) async throws {
        self.server = server
        self.file = file
        self.console = console
        store = try await Self.openStore(file)
        (api, connection) = try Self.connect(to: server.baseURL)
        try api.add(
            ResponseDescriptor(Airport.self, at: "airports"),
            ResponseDescriptor(Terminal.self, at: "terminals", keyPath: "terminals"),
            ResponseDescriptor(Flight.self, at: "flights", keyPath: "flights"),
            ResponseDescriptor(ErrorMessage.self, keyPath: "error", statusCodes: .error))
        // Notices that the list does not contain any more are deleted.
        try api.addFetchRequestRule(at: "notices") { _ in FetchRequest("Notice") }
    }

    /// Returns a manager for the notices of a server, and its transport.
    static func connect(
        to baseURL: String
    ) throws -> (api: ObjectManager, connection: SeverableTransport) {
        let api = try ObjectManager(baseURL: baseURL)
        let connection = try SeverableTransport(api.client.transport)
        api.configure { $0.client.transport = connection }
        try api.setRequestFormat(.json)
        try api.add(Route(Notice.self, "notices", methods: .post))
        try api.add(Route(Notice.self, "notices/:id"))
        return (api, connection)
    }

    /// Opens the database, creating it if necessary.
    ///
    /// - Throws: ``ToolError`` with code `fileFailed`.
    static func openStore(_ file: DatabaseFile) async throws -> ManagedObjectStore {
        do {
            return try await ManagedObjectStore(
                at: file.url, entities: Airport.self, Terminal.self, Flight.self, Notice.self)
        } catch {
            throw ToolError(
                .fileFailed, "cannot open the database \(file.path)",
                advice: "remove the file or choose another path with --database",
                underlying: error)
        }
    }

    /// Returns the number of resources in each collection, as the server reports it.
    func totals() async throws -> ServerTotals { try await api.get("") }

    /// Loads every page of a collection into the database; stored pages are validated or sent again.
    ///
    /// - Throws: ``ToolError`` with code `unexpectedResult` if the number of resources on all pages
    ///   differs from the reported total.
    func mirror<Entity: ManagedEntity>(
        _ type: Entity.Type, at path: String, by pagination: Pagination, total: Int,
        validating validates: Bool
    ) async throws -> MirroredPages {
        var mirrored = MirroredPages()
        var bar = ProgressBar(path, total: total, on: console)
        defer { bar.finish() }
        var pages = api.pages(of: type, at: path, by: pagination, into: store)
        pages.validatesStoredPages = validates
        for try await page in pages {
            mirrored.changes += RowChanges(page.changes)
            mirrored.count += 1
            mirrored.unmodifiedCount += page.isNotModified ? 1 : 0
            bar.advance(by: page.objectIDs.count)
        }
        try expect(bar.completed, total, "\(path) on all pages")
        return mirrored
    }

    /// Throws a ``ToolError`` unless two counts are equal.
    func expect(_ found: Int, _ expected: Int, _ what: String) throws {
        guard found != expected else { return }
        throw ToolError(.unexpectedResult, "\(found) \(what), \(expected) expected")
    }
}

/// The pages of one or several collections that were loaded into the database.
struct MirroredPages: Sendable {
    var changes = RowChanges()
    var count = 0
    /// The number of pages that the server confirmed instead of sending them.
    var unmodifiedCount = 0

    static func += (left: inout MirroredPages, right: MirroredPages) {
        left.changes += right.changes
        left.count += right.count
        left.unmodifiedCount += right.unmodifiedCount
    }
}

/// The number of resources in each collection: the document at the server's root.
@Mapped struct ServerTotals: Sendable {
    let airports: Int
    let terminals: Int
    let flights: Int
    let notices: Int
}

extension RowChanges {
    /// Creates a summary of a save.
    init(_ report: SaveReport) {
        self.init(
            inserted: report.inserted, updated: report.updated, deleted: report.deleted,
            unchanged: report.unchanged)
    }
}
#endif
