// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDocument
import RestMapping

/// The saving of chunks.
extension ManagedObjectImporter {
    /// Imports the chunk of a source, and saves it with its position.
    func save(
        _ source: SourceImport, isComplete: Bool, _ call: inout ImportCall
    ) async throws {
        try Task.checkCancellation()
        let chunk = source.takeChunk()
        if chunk.count > 0 {
            do {
                try importObjects(of: chunk, source, &call)
            } catch {
                throw source.located(error, in: chunk)
            }
        }
        if configuration.saving == .chunks {
            let position = source.position(isComplete: isComplete)
            let keys = source.connectedKeys
            do {
                _ = try await context.save { [self, id = source.id] database in
                    let tables = tables(database)
                    try tables.create()
                    try tables.set(position, of: id)
                    try tables.addConnections(keys, of: id)
                }
            } catch {
                throw source.located(error, in: chunk)
            }
            source.connectedKeys = [:]
            positions?[source.id] = position
            discardContext(isSaved: true)
        }
        configuration.progress?(call.progress(of: source))
    }

    private func importObjects(
        of chunk: ElementChunk, _ source: SourceImport, _ call: inout ImportCall
    ) throws {
        var environment = MappingEnvironment(metadata: configuration.metadata)
        environment.collectedAt = source.keyPath
        environment.firstElement = chunk.first
        var options = ImportOptions()
        options.defersConnections = true
        let document = chunk.document()
        let result = try context.importObjects(
            MappedRepresentation(document.root, by: source.plan, in: environment), options)
        for (entity, keys) in result.connectedKeys.enumerated() where !keys.isEmpty {
            guard !source.plan.rules[entity].connections.isEmpty else { continue }
            source.connectedKeys[store.model.layouts[entity].name, default: []] += keys
        }
        var summary = ImportSummary()
        summary.objectCount = result.objectIDs.count
        summary.add(result.counts)
        summary.report = result.report
        summary.issueLocations = result.report.issues.map {
            chunk.location(of: $0.path, in: source)
        }
        call.summary.add(summary)
    }

    // MARK: Finishing

    /// Connects all imported objects, applies deletion predicates, and saves.
    ///
    /// With ``ImporterConfiguration/Saving/whenFinished``, this is the only save. Otherwise the position
    /// of the import is removed, so that the next import of this name begins anew.
    ///
    /// - Returns: The result of all imports since the last call.
    /// - Throws: ``PersistenceError`` of saving; with code `importFailed` if objects of an interrupted
    ///   import wait for connections and their source was not imported again. `CancellationError`.
    @discardableResult
    public func finish() async throws -> ImportSummary {
        await enter()
        defer { leave() }
        switch configuration.saving {
        case .whenFinished:
            for source in sources { try connect(source.connectedKeys, of: source) }
            try deleteMatches()
            try await context.save()
        case .chunks:
            try checkSources()
            for source in sources { try await connectSavedObjects(of: source) }
            try deleteMatches()
            _ = try await context.save { [self] database in try tables(database).removeAll() }
        }
        discardContext(isSaved: true)
        defer { end() }
        return summary
    }

    private func checkSources() throws {
        let known = Set(sources.map(\.id))
        let unknown = try content.database.read { try tables($0).connectedSources() }
            .filter { !known.contains($0) }
        guard let first = unknown.first else { return }
        let name = first.prefix { $0 != "\n" }.split(separator: "/").last.map(String.init) ?? ""
        var error = PersistenceError(
            .importFailed,
            details: ["its objects wait for connections; import it again before finishing"])
        error.location = ImportLocation(source: name)
        throw error
    }

    /// Connects the saved objects of a source, some at a time.
    private func connectSavedObjects(of source: SourceImport) async throws {
        while true {
            try Task.checkCancellation()
            let keys = try content.database.read { database in
                try tables(database).connections(of: source.id, limit: configuration.chunkCount)
            }
            if keys.isEmpty { return }
            try connect(keys, of: source)
            _ = try await context.save { [self, id = source.id] database in
                try tables(database).removeConnections(keys, of: id)
            }
            discardContext(isSaved: true)
        }
    }

    private func connect(_ keys: [String: [Int64]], of source: SourceImport) throws {
        let model = store.model
        let ordered = model.layouts.map { keys[$0.name] ?? [] }
        let counts = try context.connect(ordered, by: source.plan)
        for (layout, count) in zip(model.layouts, counts) where count > 0 {
            summary.counts[layout.name, default: ImportCounts()].connected += count
        }
    }

    private func deleteMatches() throws {
        var seen: Set<String> = []
        for source in sources where seen.insert(source.plan.mapping.name).inserted {
            let counts = try context.deleteMatches(of: source.plan)
            for (layout, count) in zip(store.model.layouts, counts) where count > 0 {
                summary.counts[layout.name, default: ImportCounts()].deleted += count
            }
        }
    }
}

extension ManagedObjectContext {
    /// Deletes all objects of the store.
    ///
    /// Delete rules have no effect, as no object remains.
    func deleteAll() throws(PersistenceError) {
        let version = layered.changesVersion
        for table in model.tables {
            let entity = table.entityColumn.map { table.columns[$0].quoted } ?? "NULL"
            let rows = try read { database in
                try Row.fetchAll(
                    database,
                    sql: "SELECT \(EntityLayout.keyColumn), \(entity) FROM \(table.quoted)"
                ).map { ($0[0] as Int64, $0[1] as String?) }
            }
            layered.layers.updateMany(table.index, keys: nil) { changes in
                for (key, entity) in rows {
                    let index = entity.flatMap(model.index(of:)) ?? table.entities[0]
                    changes.delete(key, entity: index)
                }
            }
        }
        takeChanges(since: version)
    }
}
