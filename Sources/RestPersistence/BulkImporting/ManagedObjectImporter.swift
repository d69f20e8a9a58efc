// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
import GRDB
public import RestDocument
import RestMapping

/// An importer of files and streams of any size into a store.
///
/// ```swift
/// let importer = ManagedObjectImporter(store)
/// try await importer.importObjects(from: folder.appending(path: "airports.json"), by: airports)
/// try await importer.importObjects(from: folder.appending(path: "terminals.jsonl"), by: terminals)
/// let summary = try await importer.finish()
/// ```
///
/// An importer has a context of its own, in which imported values replace stored ones. It imports the
/// elements of a list, or lines, in chunks, and saves each chunk with its position in the source. If the
/// process ends before ``finish()``, the next importer with the same
/// ``ImporterConfiguration/name`` that imports the same sources in the same order continues after the
/// last saved chunk. See <doc:BulkImport>.
///
/// Sources can refer to each other's objects in any order: references to objects that do not exist
/// wait for them, and ``finish()`` makes the ``EntityRules/connections`` and applies deletion
/// predicates.
///
/// An importer belongs to the content of the store when it is created: after
/// ``ManagedObjectStore/reset(discardsUnsentEdits:)``, create another one. Calls run one after the other on a
/// queue of the importer. Cancelling one ends it after the chunk in progress.
public actor ManagedObjectImporter {
    /// The store that objects are imported into.
    public nonisolated let store: ManagedObjectStore
    /// The configuration, which is read when the importer is created.
    public nonisolated let configuration: ImporterConfiguration

    /// The content of the store when the importer was created.
    let content: StoreContent
    private let executor = StoreExecutor(label: "RestPersistence.import")
    /// The unsaved objects.
    private var unsaved: ManagedObjectContext?
    /// The sources of this importer in their order.
    var sources: [SourceImport] = []
    /// The positions up to which sources are saved, including those of an interrupted import; `nil`
    /// before the first import.
    var positions: [String: ImportPosition]?
    /// The result of all imports that have not been finished.
    var summary = ImportSummary()
    /// A Boolean value that indicates whether the next context deletes all objects.
    private var needsReset = false
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The executor on the importer's queue, on which blocking does not occupy a thread of the
    /// cooperative pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Creates an importer into the present content of a store.
    ///
    /// After ``ManagedObjectStore/reset(discardsUnsentEdits:)`` its calls throw errors with code `storeClosed`.
    public init(_ store: ManagedObjectStore, configuration: ImporterConfiguration = .init()) {
        self.store = store
        content = store.content
        self.configuration = configuration
    }

    /// Creates an importer into a database file, such as the seed of other stores.
    ///
    /// By default, the objects that the file has are deleted before the first import.
    ///
    /// - Throws: An error of ``ManagedObjectStore/init(at:model:configuration:)``, such as `cannotOpen`
    ///   for a folder.
    public init(
        at url: URL, model: ManagedObjectModel,
        configuration: ImporterConfiguration = .init(resetsStore: true)
    ) async throws {
        store = try await ManagedObjectStore(at: url, model: model)
        content = store.content
        self.configuration = configuration
    }

    // MARK: Importing

    /// Imports the elements of a file, or of every direct entry of a folder.
    ///
    /// The entries of a folder are imported in the order of their names, without hidden ones; a folder
    /// in it is an error. The first error ends the import; the elements before its chunk are
    /// imported.
    ///
    /// - Parameters:
    ///   - url: The URL of a file or folder.
    ///   - mapping: The mapping of each element.
    ///   - keyPath: The path to the list in each file, or to a single object in its place.
    ///   - mediaType: The type of all files; by default, it is derived from their extensions. Files of
    ///     types other than JSON and JSON Lines are read as a whole.
    /// - Returns: The result of the call.
    /// - Throws: ``PersistenceError`` with code `importFailed`, whose ``PersistenceError/location`` is
    ///   the place; with code `invalidMapping`; `CancellationError`.
    @discardableResult
    public func importObjects(
        from url: URL, by mapping: EntityMapping, at keyPath: DocumentPath = .root,
        as mediaType: MediaType? = nil
    ) async throws -> ImportSummary {
        await enter()
        defer { leave() }
        let plan = try EntityMappingPlan(mapping, in: store.model)
        let files = try ImportFile.files(at: url)
        var call = ImportCall(totalByteCount: files.reduce(0) { $0 + $1.byteCount })
        try begin()
        for file in files {
            let source = source(file.name, file.path, file: file, plan, at: keyPath)
            try await isolatingFailure(of: source) {
                try await importFile(file, source, as: mediaType, &call)
            }
        }
        summary.add(call.summary)
        return call.summary
    }

    /// Imports the elements of a stream of bytes.
    ///
    /// - Parameters:
    ///   - chunks: The text in pieces, such as the body of a response. To continue an interrupted
    ///     import, they must be the same bytes from the beginning, divided in any way.
    ///   - name: The name of the stream in errors and in the saved position.
    ///   - mapping: The mapping of each element.
    ///   - keyPath: The path to the list.
    ///   - mediaType: The type of the stream. One other than JSON and JSON Lines is read as a whole.
    /// - Returns: The result of the call.
    /// - Throws: An error of the form with a file, or of the chunks.
    @discardableResult
    public func importObjects<Chunks: AsyncSequence>(
        from chunks: sending Chunks, named name: String, by mapping: EntityMapping,
        at keyPath: DocumentPath = .root, as mediaType: MediaType = .json
    ) async throws -> ImportSummary where Chunks.Element: Sequence<UInt8> {
        await enter()
        defer { leave() }
        let plan = try EntityMappingPlan(mapping, in: store.model)
        var call = ImportCall(totalByteCount: nil)
        try begin()
        let source = source(name, name, file: nil, plan, at: keyPath)
        if !source.resumed.isComplete {
            try await isolatingFailure(of: source) {
                try await importChunks(chunks, source, as: mediaType, &call)
            }
        }
        call.finish(source)
        summary.add(call.summary)
        return call.summary
    }

    /// Imports the elements of the process's standard input.
    ///
    /// - Throws: An error of the form with a file.
    @discardableResult
    public func importStandardInput(
        by mapping: EntityMapping, at keyPath: DocumentPath = .root, as mediaType: MediaType = .json
    ) async throws -> ImportSummary {
        try await importObjects(
            from: FileChunks(handle: .standardInput), named: "standard input", by: mapping,
            at: keyPath, as: mediaType)
    }

    // MARK: State

    /// The context with the unsaved objects.
    var context: ManagedObjectContext {
        get throws {
            if let unsaved { return unsaved }
            content.database.reserveKeysAhead()
            // Chunks are saved at once, so that their changes are not tracked as edits of a program.
            let context = ManagedObjectContext(content.database, isTracked: true)
            context.mergePolicy = .contextWins
            if needsReset { try context.deleteAll() }
            unsaved = context
            return context
        }
    }

    /// Gives up the context.
    func discardContext(isSaved: Bool) {
        unsaved = nil
        if isSaved { needsReset = false }
    }

    /// The tables with the state of the import.
    nonisolated func tables(_ database: Database) -> ImportTables {
        ImportTables(database: database, name: configuration.name)
    }

    /// Reads the positions of an interrupted import, or deletes all objects, before the first import.
    private func begin() throws {
        guard positions == nil else { return }
        let known = try content.database.read { try tables($0).positions() }
        if known.isEmpty || configuration.resumes == false {
            if !known.isEmpty { try content.database.write { try tables($0).removeAll() } }
            needsReset = configuration.resetsStore
            positions = [:]
        } else {
            positions = known
        }
    }

    /// Forgets the sources, so that further imports are new ones.
    func end() {
        sources = []
        positions = positions.map { _ in [:] }
        summary = ImportSummary()
    }

    private func source(
        _ name: String, _ path: String, file: ImportFile?, _ plan: EntityMappingPlan,
        at keyPath: DocumentPath
    ) -> SourceImport {
        let id = [path, keyPath.description, plan.mapping.name].joined(separator: "\n")
        // A source can be imported several times.
        let occurrence = sources.count { $0.id.hasPrefix(id + "\n") } + 1
        let numbered = "\(id)\n\(occurrence)"
        let source = SourceImport(
            name, id: numbered, file: file, plan, at: keyPath,
            from: positions?[numbered] ?? ImportPosition())
        sources.append(source)
        return source
    }

    // MARK: Order

    /// Waits for the calls before this one.
    func enter() async {
        while isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
    }

    func leave() {
        isBusy = false
        let continuations = waiting
        waiting = []
        for continuation in continuations { continuation.resume() }
    }
}
