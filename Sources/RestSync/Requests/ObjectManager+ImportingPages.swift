// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

extension ObjectManager {
    /// Imports a page of a list, in one transaction.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - options: The treatment of the response.
    ///   - recorder: The record of the walk; `nil` if the request has no collection.
    ///   - destination: The store, or the context that is saved to the store.
    /// - Returns: The IDs of the objects, and the saved changes.
    /// - Throws: ``/RestNetworking/NetworkingError``, ``SyncError`` or `CancellationError`.
    func importPage(
        _ page: PageResponse, _ options: ManagedRequestOptions, _ recorder: WalkRecorder?,
        into destination: ImportDestination
    ) async throws -> ManagedResult {
        defer { page.response.moment?.endRequest() }
        if let confirmation = PageConfirmation(page, recorder, at: client.clock.date) {
            do {
                return try await destination.write { try confirmation.run(in: $0) }
            } catch let error as PersistenceError {
                throw SyncError(.saveFailed, page.response, error)
            }
        }
        return try await map(page.response) { response, report in
            try await run(pageImport(of: page, options, recorder), into: destination, &report)
        }
    }

    private func pageImport(
        of page: PageResponse, _ options: ManagedRequestOptions, _ recorder: WalkRecorder?
    ) throws -> ResponseImport {
        var work = try responseImport(of: page.response, options)
        if let recorder { work.page = (recorder, page, client.clock.date) }
        return work
    }
}

/// A page of a list that the server has confirmed as unmodified.
private struct PageConfirmation: Sendable {
    let page: PageResponse
    let stored: StoredPage
    let recorder: WalkRecorder
    let date: Date

    /// Creates a confirmation; returns `nil` if the server sent the page.
    init?(_ page: PageResponse, _ recorder: WalkRecorder?, at date: Date) {
        guard let recorder,
            let stored = (page.response.interceptor as? PageInterceptor)?.confirmedPage
        else { return nil }
        self.page = page
        self.stored = stored
        self.recorder = recorder
        self.date = date
    }

    /// Records the page in the collection of the list.
    ///
    /// - Throws: ``SyncError`` with code `saveFailed`.
    func run(in context: ManagedObjectContext) throws -> ManagedResult {
        var result = ManagedResult(url: page.response.url)
        result.origin = .notModified
        do throws(PersistenceError) {
            result.objectIDs = try context.objects(with: stored.members).map(\.objectID)
            context.beginResponse(page.response.moment, isWrite: false)
            if !page.response.isSuperseded(recorder) {
                context.record(
                    recorder.change(
                        by: page, confirming: stored, members: result.objectIDs, at: date))
                context.recordResponse(of: recorder.request)
            }
            try context.save()
        } catch {
            throw SyncError(.saveFailed, page.response, error)
        }
        return result
    }
}
