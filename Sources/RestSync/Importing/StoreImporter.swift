// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

/// The import of the entities of responses into the default store of a manager.
struct StoreImporter: EntityImporter {
    let store: ManagedObjectStore

    func begin() -> @Sendable () -> any HTTPInterceptor {
        let content = store.content
        return { RequestMomentInterceptor(collections: content.collectionReader) }
    }

    func importEntities(
        of response: ObjectResponse, for manager: ObjectManager, isKeyed: Bool,
        _ report: inout MappingReport,
        validation: @escaping @Sendable (ResponseEntities) throws -> Void
    ) async throws -> sending ResponseEntities {
        // The content at the start of the request, which a reset may have replaced.
        let interceptor = response.interceptor as? RequestMomentInterceptor
        let content = interceptor?.collections.content ?? store.content
        var work = try manager.responseImport(of: response, ManagedRequestOptions())
        work.validation = validation
        work.mapsAlways = true
        work.isKeyed = isKeyed
        let result = try await manager.run(work, into: .store(content), &report)
        do {
            return try result.entities(in: content.makeContext())
        } catch {
            throw SyncError(.fetchFailed, response, error)
        }
    }
}
