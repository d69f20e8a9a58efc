// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

/// The import of the entities of responses into the default store of a manager.
struct StoreImporter: EntityImporter {
    let store: ManagedObjectStore

    func makeInterceptor() -> any HTTPInterceptor {
        RequestMomentInterceptor(moment: store.collectionReader.beginRequest())
    }

    func importEntities(
        of response: ObjectResponse, for manager: ObjectManager, isKeyed: Bool,
        _ report: inout MappingReport,
        rehearsal: @escaping @Sendable (ResponseEntities) throws -> Void
    ) async throws -> sending ResponseEntities {
        var work = try manager.responseImport(of: response, ManagedRequestOptions())
        work.rehearsal = rehearsal
        work.mapsAlways = true
        work.isKeyed = isKeyed
        let result = try await manager.run(work, into: store, &report)
        do {
            return try result.entities(in: store.makeContext())
        } catch {
            throw SyncError(.fetchFailed, response, error)
        }
    }
}
