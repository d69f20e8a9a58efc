// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestNetworking
import RestPersistence

/// The place into which responses are imported: a store, or a context of the caller.
///
/// Not Sendable: a context belongs to its caller.
enum ImportDestination {
    case store(StoreContent)
    case context(ManagedObjectContext)

    /// The model of the store.
    var model: ManagedObjectModel {
        switch self {
        case .store(let store): store.model
        case .context(let context): context.model
        }
    }

    /// The reader of the collections of the store.
    var collections: CollectionReader {
        switch self {
        case .store(let store): store.collectionReader
        case .context(let context): context.collectionReader
        }
    }

    /// Calls a closure with a private context that has the objects of the destination.
    func read<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        switch self {
        case .store(let store): try await store.read(body)
        case .context(let context): try await context.performChild(body)
        }
    }

    /// Calls a closure that imports objects into a private context, and saves what it has changed.
    ///
    /// - Parameters:
    ///   - response: The response, with the unsaved values that its request has sent; `nil` for one that
    ///     changes no objects.
    ///   - body: The closure.
    /// - Returns: The result of the closure, with the rows that the transaction wrote. If the options do not
    ///   save to the store, the changes are unsaved ones of the context.
    /// - Throws: The errors of the closure and of saving.
    func write(
        of response: ResponseImport? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> ManagedResult
    ) async throws -> ManagedResult {
        switch self {
        case .store(let store):
            // The answers to the requests of an outbox arrive many at a time.
            if response?.action != nil { return try await store.writeTogether(body) }
            return try await store.write(body)
        case .context(let context):
            guard let response, !response.options.savesToPersistentStore else {
                var (result, changes) = try await context.performChildAndSave(
                    sent: response?.sent, body)
                result.changes = changes
                return result
            }
            let result = try await context.performChild(
                keepingEditsSince: response.response.moment, body)
            if let sent = response.sent { context.accept(sent) }
            return result
        }
    }
}

extension IsolatedValue<ManagedObjectContext> {
    /// Runs an import in the context, on its actor.
    func run(
        _ work: ResponseImport, by manager: ObjectManager, _ report: inout MappingReport
    ) async throws -> ManagedResult {
        try await run(work, by: manager, &report, isolation: actor)
    }

    private func run(
        _ work: ResponseImport, by manager: ObjectManager, _ report: inout MappingReport,
        isolation: isolated any Actor
    ) async throws -> ManagedResult {
        try await manager.run(work, into: .context(value(in: isolation)), &report)
    }
}
