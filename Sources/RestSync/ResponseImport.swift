// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
public import RestNetworking
public import RestPersistence

extension EntityMapping: ResponseMapping {}

/// A matched response on its way into a store: everything that can be decided beforehand is.
///
/// The stage before is ``RestNetworking/ObjectManager/response(to:expecting:)``.
struct ResponseImport: Sendable {
    private let response: ObjectResponse
    private let parts: [(plan: EntityMappingPlan, match: ResponseMatch)]

    /// Fits the mappings of the matches to a model.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/unsuitableMapping``, as when a descriptor
    ///   describes plain objects.
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

    /// Imports and saves in a context of its own, in one transaction.
    ///
    /// - Throws: ``RestNetworking/NetworkingError`` for the mapping, ``SyncError`` for the store.
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
