// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestPersistence

/// The import of a response into a store, with mappings that are compiled for the store's model.
///
/// ``/RestNetworking/ObjectManager/response(to:expecting:)`` returns the response.
struct ResponseImport: Sendable {
    private let response: ObjectResponse
    private let parts: [(plan: EntityMappingPlan, match: ResponseMatch)]

    /// Creates an import by compiling the mappings of the matches for a model.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/unsuitableMapping`` if a mapping does not
    ///   match the model, such as one for objects that are not managed.
    init(_ response: ObjectResponse, into model: ManagedObjectModel) throws(SyncError) {
        self.response = response
        do throws(PersistenceError) {
            parts = try response.matches.map { match throws(PersistenceError) in
                let mapping = match.descriptor.mapping
                let plan = try EntityMappingPlan(
                    mapping as? EntityMapping ?? EntityMapping(mapping.mapping),
                    compiled: match.plan, in: model)
                return (plan, match)
            }
        } catch {
            throw SyncError(.unsuitableMapping, response, error)
        }
    }

    /// Imports a response into a store in one transaction, and adds issues and counts to a report.
    ///
    /// - Throws: ``/RestNetworking/NetworkingError`` for the mapping, ``SyncError`` for the store.
    static func run(
        _ response: ObjectResponse, into store: ManagedObjectStore, _ report: inout MappingReport
    ) async throws -> ManagedResult {
        let responseImport = try ResponseImport(response, into: store.model)
        let result = try await store.perform { context in try responseImport.run(in: context) }
        report.add(result.report)
        return result
    }

    /// Imports the objects into a context and saves it in one transaction.
    ///
    /// - Throws: ``/RestNetworking/NetworkingError`` for the mapping, ``SyncError`` for the store.
    func run(in context: ManagedObjectContext) throws -> ManagedResult {
        var objectIDs: [ManagedObjectID] = []
        var report = MappingReport()
        for part in parts {
            let imported: ImportResult
            do {
                imported = try context.importObjects(
                    from: part.match.representation, by: part.plan, in: part.match.environment)
            } catch let error as MappingError {
                throw response.error(
                    .mappingFailed, stage: .mapping, path: error.path, underlying: error)
            } catch let error as PersistenceError {
                throw SyncError(.importFailed, response, error)
            }
            objectIDs += imported.objectIDs
            report.add(imported.report)
        }
        do throws(PersistenceError) {
            return ManagedResult(
                objectIDs: objectIDs, changes: try context.save(), report: report,
                url: response.url)
        } catch {
            throw SyncError(.saveFailed, response, error)
        }
    }
}
