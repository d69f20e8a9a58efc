// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RestDefinition
public import RestDocument
public import RestPersistence
public import RestTransport

/// A mirror of a REST API: a definition that is run against a store.
///
/// ```swift
/// let mirror = try await APIMirror(definition, at: file, over: transport)
/// let summary = try await mirror.run { event in print(event) }
/// ```
///
/// Rows and state are in one SQLite file, and are written in the same transactions, so that a run that ends at
/// any moment is continued by the next one. What the server confirms to be unchanged is not read, and what is
/// unchanged is not written. A row is deleted only if the server has been proven not to have it.
///
/// A class, so that copies share the store.
public final class APIMirror: Sendable {
    /// The definition.
    public let definition: Definition
    /// The store.
    public let store: ManagedObjectStore

    private let file: URL
    private let client: MirrorClient
    private let budget: RequestBudget
    private let evolution = SchemaEvolution()
    private let formats: FormatRegistry
    private let paginations: [String: MirrorPagination]
    private let version: String

    /// The number of requests at the same time if the definition names none.
    private static let parallelRequestCount = 4

    /// Creates a mirror by opening or creating its file.
    ///
    /// A file of an earlier version of the definition is migrated.
    ///
    /// - Parameters:
    ///   - definition: The definition, whose attributes all have types.
    ///   - url: The file, which also stores the definition; with another one than the stored one, all pages are
    ///     read again.
    ///   - origin: The URL from which the definition was inferred; `nil` for one that was written.
    ///   - source: The definition before its completion; `nil` for the same one.
    ///   - transport: The transport of requests.
    ///   - secrets: The reader of secrets.
    ///   - clock: The clock.
    ///   - formats: The formats of bodies that are neither JSON nor CSV.
    ///   - paginations: The rules that the definition names with `pagination: {type: custom, name: …}`.
    ///   - explainsRows: A Boolean value that indicates whether the file stores the response that has written each value
    ///     last; see ``RowOrigin``. Each range of inserted rows and each changed value is then one more
    ///     row.
    ///   - budgets: The requests to hosts, which mirrors share.
    /// - Throws: ``MirrorError`` with code `invalidDefinition` or `missingSecret`;
    ///   ``/RestPersistence/PersistenceError``.
    public init(
        _ definition: Definition, at url: URL, from origin: String? = nil,
        completing source: Definition? = nil,
        over transport: any HTTPTransport,
        secrets: SecretReader = SecretReader(environment: [:]),
        clock: any TransportClock = .system, formats: FormatRegistry = .standard,
        paginations: [String: MirrorPagination] = [:], explainsRows: Bool = false,
        budgets: RequestBudgets = .process
    ) async throws {
        self.definition = definition
        file = url
        self.formats = formats
        self.paginations = paginations
        try Self.check(definition, paginations)
        let model = try EntityCompiler.model(of: definition)
        client = try MirrorClient(definition, transport, clock, secrets)
        budget = budgets.budget(of: definition.api, at: client.base, clock: clock)
        // Everything is compiled before the file is created.
        for resource in definition.resources {
            _ = try RowPlan(of: resource, definition, in: model)
        }
        _ = try ResourceOrder.levels(of: definition)
        store = try await ManagedObjectStore(
            at: url, model: model,
            configuration: StoreConfiguration(
                busyTimeout: .seconds(30),
                migration: TypeMigration.migration(
                    from: MirrorStatus.definition(storedIn: url), to: definition),
                explainedEntities: explainsRows ? Set(definition.entities.map(\.name)) : []))
        let text = JSONWriter.compact.text(of: definition.json())
        version = SHA256.digest(of: Array(text.utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        try await prepare(origin, source, text)
    }

    /// The definition with a schema that all records fit which the runs have read; `nil` if they fit the present
    /// one.
    ///
    /// Close this mirror, and run the definition by another one, which migrates the file and reads all pages again.
    public var evolvedDefinition: Definition? { evolution.definition(after: definition) }

    /// Closes the file.
    public func close() throws { try store.close() }

    // MARK: Running

    /// Reads all resources.
    ///
    /// A resource that fails does not end the others. A cancelled run ends after the pages in hand.
    ///
    /// - Parameters:
    ///   - limit: The number of requests that the run may send; `nil` for the ceiling of the definition, if it has
    ///     one.
    ///   - report: A closure that receives the events, from any task.
    /// - Returns: The result, which says whether everything was read.
    /// - Throws: ``MirrorError`` with code `runInProgress` if another run reads into the file, or if rows that the
    ///   server does not have cannot be deleted.
    public func run(
        limit: RequestLimit? = nil,
        reporting report: @escaping @Sendable (MirrorEvent) -> Void = { _ in }
    ) async throws -> MirrorSummary {
        try await run(
            within: RequestAllowance(limit ?? RequestLimit(definition.api.budget.ceiling)),
            reporting: report)
    }

    /// Reads all resources with what is left of an allowance.
    ///
    /// - Parameters:
    ///   - allowance: The requests that the run may send together with other operations.
    ///   - report: A closure that receives the events, from any task.
    /// - Returns: The result, which says whether everything was read.
    /// - Throws: ``MirrorError`` as for ``run(limit:reporting:)``.
    public func run(
        within allowance: RequestAllowance,
        reporting report: @escaping @Sendable (MirrorEvent) -> Void = { _ in }
    ) async throws -> MirrorSummary {
        let lock = try RunLock(of: file)
        defer { lock.release() }
        let recorder = RunRecorder(report)
        let ledger = budget.ledger(in: store.content, at: file.path(percentEncoded: false))
        try await ledger.open()
        let run = MirrorRun(
            startedAt: client.client.clock.date, base: client.base.requestText)
        let shared = SharedRun(
            run: run, allowance: allowance, recorder: recorder,
            gate: Gate(
                definition.api.budget.parallelRequestCount ?? Self.parallelRequestCount),
            budget: budget.recorded(in: ledger))
        for level in try ResourceOrder.levels(of: definition) {
            await withTaskGroup { group in
                for resource in level {
                    group.addTask { await self.run(resource, shared) }
                }
            }
            if Task.isCancelled { break }
        }
        try await ledger.close()
        let isCancelled = Task.isCancelled
        if client.renewal?.refreshToken?.isUnsaved == true {
            recorder.report(.warning(Self.unsavedToken))
        }
        if !isCancelled {
            let deletion = MissingRowDeletion(definition: definition, content: store.content)
            for (entity, count) in try await deletion.run() where count > 0 {
                recorder.report(.deleted(entity: entity, count: count))
            }
        }
        let summary = recorder.summary(
            in: definition.resources.map(\.name), isCancelled: isCancelled)
        try await finish(run, summary)
        return summary
    }

    /// The events of a run, the last of which is followed by the end of the sequence.
    ///
    /// Ending the iteration cancels the run.
    public func events() -> AsyncThrowingStream<MirrorEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    _ = try await run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Stores the result of a run, also of a cancelled one.
    private func finish(_ run: MirrorRun, _ summary: MirrorSummary) async throws {
        let (content, date) = (store.content, client.client.clock.date)
        let task = Task {
            let isStored = try await content.read { context in
                try context.rows.read { try MirrorTables(database: $0).isStored(run) }
            }
            guard isStored else { return }
            try await content.write { context in
                try context.rows.read { database in
                    try MirrorTables(database: database).finish(run, summary, at: date)
                }
            }
        }
        try await task.value
    }

    /// The parts of a run that its resources share.
    private struct SharedRun: Sendable {
        let run: MirrorRun
        let allowance: RequestAllowance
        let recorder: RunRecorder
        let gate: Gate
        let budget: RequestBudget
    }

    private func run(_ resource: ResourceDefinition, _ shared: SharedRun) async {
        let recorder = shared.recorder
        recorder.report(.started(resource: resource.name))
        var summary = ResourceSummary(resource.name)
        do {
            let reading = ResourceRun(
                plan: try plan(of: resource, shared), definition: definition, gate: shared.gate)
            summary = try await reading.run(recorder)
        } catch is CancellationError {
            summary.failure = "cancelled"
        } catch {
            summary.failure = "\(error)"
        }
        recorder.report(.finished(summary))
    }

    private func plan(
        of resource: ResourceDefinition, _ shared: SharedRun
    ) throws -> ResourcePlan {
        let pagination = resource.pagination ?? definition.api.pagination
        let composer = RequestComposer(
            api: definition.api, resource: resource,
            pagination: pagination ?? PaginationDefinition(.singlePage), base: client.base,
            secrets: client.secrets, rules: paginations)
        let recorder = shared.recorder
        let report: @Sendable (MirrorEvent) -> Void = { recorder.report($0) }
        return ResourcePlan(
            resource: resource, pagination: pagination, composer: composer,
            requester: PageRequester(
                client: client.client, budget: shared.budget, resource: resource,
                rules: resource.responses + definition.api.responses,
                format: BodyFormat(
                    format: resource.format ?? definition.api.format, formats: formats),
                report: report, renewal: client.renewal, allowance: shared.allowance),
            writer: RowWriter(
                content: store.content,
                plan: try RowPlan(of: resource, definition, in: store.model), resource: resource,
                definition: definition, run: shared.run),
            tracksRows: resource.deletion == .walk
                || definition.resources.contains { other in
                    other.parents.contains { $0.source == .resource(resource.name) }
                },
            keys: KeyInventory(of: resource, definition),
            embeddedLists: EmbeddedLists(of: resource, definition), evolution: evolution,
            report: report, version: version)
    }

    private static let unsavedToken = MirrorWarning(
        kind: .unsavedToken, resource: "auth",
        message:
            "the server has replaced the refresh token, and the new one is in no writable file; name a file "
            + "with `file`, or the next run needs a new token", isIncomplete: false)

    // MARK: Preparing

    /// The rules in code that a definition names, by the path of the pagination.
    public static func namedPaginations(
        of definition: Definition
    ) -> [(path: DocumentPath, name: String)] {
        var named: [(path: DocumentPath, name: String)] = []
        func add(_ pagination: PaginationDefinition?, _ keys: [String]) {
            guard case .custom(let name)? = pagination?.rule else { return }
            named.append((DocumentPath((keys + ["pagination"]).map { .key($0) }), name))
        }
        add(definition.api.pagination, ["api"])
        for resource in definition.resources {
            add(resource.pagination, ["resources", resource.name])
        }
        return named
    }

    private static func check(
        _ definition: Definition, _ paginations: [String: MirrorPagination]
    ) throws(MirrorError) {
        let details = namedPaginations(of: definition).filter { paginations[$0.name] == nil }.map {
            "\($0.path): the rule “\($0.name)” is code, which a program passes to APIMirror; write another type"
        }
        if !details.isEmpty { throw MirrorError(.invalidDefinition, details: details) }
    }

    /// Creates the tables of the state, and stores the definition.
    private func prepare(_ origin: String?, _ source: Definition?, _ text: String) async throws {
        let source = source.map { JSONWriter.compact.text(of: $0.json()) }
        try await store.content.write { context in
            try context.rows.read { database in
                let tables = MirrorTables(database: database)
                if try !tables.isComplete { try tables.create() }
                if let source { try tables.setFact(MirrorTables.sourceFact, source) }
                if let origin { try tables.setFact(MirrorTables.originFact, origin) }
                let known = try tables.fact(MirrorTables.definitionFact)
                if known == text { return }
                // Other mappings of the same bodies have other rows.
                if known != nil { try tables.removeValidators() }
                try tables.setFact(MirrorTables.definitionFact, text)
            }
        }
    }
}
