// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestPersistence
import RestTransport

/// The record of a walk over the pages of a list in the list's collection.
///
/// Each page is recorded in the transaction that writes its rows, with the position of the next one, so
/// that a walk that ends anywhere continues there.
struct WalkRecorder: Sendable {
    let request: CollectionRequest
    let version: String
    /// The identity of the walk.
    let id: Int64
    /// The position at which the iteration starts; `nil` for the first page.
    let start: PagePosition?
    /// A Boolean value that indicates whether the next page is the first one of the walk.
    var isFirst: Bool
    /// The reasons for doubt that are known before the first page.
    let doubts: Set<CollectionDoubt>

    /// Creates the record of a walk, which continues the stored one if its position is the start.
    ///
    /// - Parameters:
    ///   - request: The identity of the collection.
    ///   - version: The version of the model and the mappings.
    ///   - stored: The stored collection; `nil` if there is none.
    ///   - start: The position at which the caller starts; `nil` for the first page.
    ///   - resumes: A Boolean value that indicates whether an unfinished walk continues.
    ///   - endsByShortPage: A Boolean value that indicates whether a short page ends the list.
    init(
        _ request: CollectionRequest, version: String, stored: FetchedCollection?,
        start: PagePosition?, resumes: Bool, endsByShortPage: Bool
    ) {
        self.request = request
        self.version = version
        var position: PagePosition?
        if let stored, !stored.isComplete, stored.facts.version == version,
            let data = stored.facts.walk.position
        {
            position = try? JSONDecoder().decode(PagePosition.self, from: data)
        }
        if let stored, let position, start == position || start == nil && resumes {
            self.start = position
            id = stored.facts.walk.id
            isFirst = false
            doubts = []
        } else {
            self.start = start
            id = .random(in: 1 ... .max)
            isFirst = true
            var doubts: Set<CollectionDoubt> = start == nil ? [] : [.laterStart]
            if endsByShortPage { doubts.insert(.shortPage) }
            self.doubts = doubts
        }
    }

    /// Returns the change of the collection by a page.
    func change(
        by page: PageResponse, members: [ManagedObjectID], at date: Date
    ) -> CollectionChange {
        let response = page.response
        let fields = response.head.headerFields
        var facts = CollectionFacts()
        facts.version = version
        facts.validators = CollectionValidators(
            entityTag: fields.bytes(of: .eTag).map { Data($0) },
            lastModified: fields.bytes(of: .lastModified).map { Data($0) })
        facts.walk = CollectionWalk(id: id)
        facts.walk.position = page.page.nextPosition.flatMap { try? JSONEncoder().encode($0) }
        facts.walk.total = page.page.totalObjects
        facts.walk.doubts = doubts.union(Self.doubts(about: response, members))
        // The number of objects tells where the list ends.
        if facts.walk.total != nil { facts.walk.doubts.remove(.shortPage) }
        return .fetched(
            CollectionResponse(
                request, members, url: response.url.requestText, fetchedAt: date, facts: facts,
                extent: .page(index: page.page.index, isFirst: isFirst)))
    }

    private static func doubts(
        about response: ObjectResponse, _ members: [ManagedObjectID]
    ) -> Set<CollectionDoubt> {
        var doubts: Set<CollectionDoubt> = []
        if response.matches.isEmpty
            || response.matches.contains(where: { $0.representation.kind != .array })
        {
            doubts.insert(.unexpectedShape)
        }
        if members.count != response.representationCount { doubts.insert(.missingElement) }
        if !response.origin.isFromServer { doubts.insert(.cachedPage) }
        return doubts
    }
}

/// The end of a walk over the pages of a list: the proof that it is complete, and the deletion of the
/// objects that it has not found.
struct WalkCompletion: Sendable {
    let recorder: WalkRecorder
    let policy: OrphanPolicy
    let store: ManagedObjectStore
    let client: HTTPClient
    /// The request for the first page.
    let firstRequest: TransportRequest

    /// Completes the collection.
    ///
    /// - Throws: ``SyncError`` with code `saveFailed`, or `CancellationError`.
    func run(into walk: inout ManagedWalk) async throws {
        let reader = store.collectionReader
        guard let collection = try await reader.collection(of: recorder.request),
            collection.facts.walk.id == recorder.id
        else {
            walk.doubts = [.superseded]
            return
        }
        var doubts = collection.facts.walk.doubts
        if let total = collection.facts.walk.total, total != collection.objectIDs.count {
            doubts.insert(.totalDiffers)
        }
        var deletes = false
        if let share = policy.maximumShare, !collection.unconfirmedIDs.isEmpty {
            let count = collection.objectIDs.count + collection.unconfirmedIDs.count
            if Double(collection.unconfirmedIDs.count) > share * Double(count) {
                doubts.insert(.tooManyOrphans)
            }
            if doubts.isEmpty, policy.requiresValidators {
                doubts.formUnion(try await validatePages(reader))
            }
            deletes = doubts.isEmpty
            walk.doubts = doubts.sorted { $0.rawValue < $1.rawValue }
        }
        walk.orphanIDs = try await close(collection, doubts, deletes: deletes)
        walk.collection = try await reader.collection(of: recorder.request)
    }

    /// Closes the walk, and deletes the unconfirmed objects if the walk proves that they are gone.
    private func close(
        _ collection: FetchedCollection, _ doubts: Set<CollectionDoubt>, deletes: Bool
    ) async throws -> [ManagedObjectID] {
        try await store.perform { context in
            var orphans: [ManagedObjectID] = []
            let current = try context.collection(of: recorder.request)
            let isCurrent = current?.facts.walk.id == recorder.id
            if deletes, isCurrent, let current {
                let others = try context.confirmedMembers(except: recorder.request)
                orphans = current.unconfirmedIDs.filter { !others.contains($0) }
                for object in try context.objects(with: orphans) { context.delete(object) }
            }
            context.record(
                .closed(
                    recorder.request, walk: recorder.id, doubts: doubts,
                    removesUnconfirmed: deletes && isCurrent))
            try context.save()
            return orphans
        }
    }

    /// Validates all pages of the walk, which proves that they are parts of one state of the list.
    private func validatePages(_ reader: CollectionReader) async throws -> Set<CollectionDoubt> {
        let pages = try await reader.pages(of: recorder.request)
        // A single response is one state of the list.
        if pages.count <= 1 { return [] }
        if pages.contains(where: \.validators.isEmpty) { return [.missingValidator] }
        for page in pages {
            try Task.checkCancellation()
            guard let url = try? HTTPURL(parsing: page.url) else { return [.changedPage] }
            var request = firstRequest
            request.url = url
            request.usesCache = false
            request.headerFields.set(page.validators.entityTag.map(Array.init), for: .ifNoneMatch)
            request.headerFields.set(
                page.validators.lastModified.map(Array.init), for: .ifModifiedSince)
            do {
                guard try await client.send(request).status == .notModified else {
                    return [.changedPage]
                }
            } catch is TransportError {
                return [.changedPage]
            }
        }
        return []
    }
}
