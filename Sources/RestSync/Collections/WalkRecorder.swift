// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestPersistence
import RestTransport

/// The record of a walk over the pages of a list in the list's collection.
///
/// A page that changes something is recorded in the transaction that writes its rows, with the position of the
/// next one, so that a walk that ends anywhere continues there. Pages that change nothing write nothing: where the
/// walk has come to is noted with the next change, when it ends or stops, or after ``noteInterval``.
struct WalkRecorder: Sendable {
    /// The time after which a killed process has noted the unchanged pages that it has seen.
    static let noteInterval: Duration = .seconds(3)

    var request: CollectionRequest
    let version: String
    let pagination: Pagination
    /// The identity of the walk.
    let id: Int64
    /// The position at which the iteration starts; `nil` for the first page.
    let start: PagePosition?
    /// A Boolean value that indicates whether the next page is the first one of the walk.
    var isFirst: Bool
    /// The reasons for doubt that are known before the first page.
    let reasons: Set<IncompletenessReason>

    /// Creates the record of a walk, which continues the stored one if its position is the start.
    ///
    /// - Parameters:
    ///   - request: The identity of the collection.
    ///   - version: The version of the model and the mappings.
    ///   - stored: The stored collection; `nil` if there is none.
    ///   - start: The position at which the caller starts; `nil` for the first page.
    ///   - resumes: A Boolean value that indicates whether an unfinished walk continues.
    ///   - pagination: The pagination of the list.
    init(
        _ request: CollectionRequest, version: String, stored: StoredCollection?,
        start: PagePosition?, resumes: Bool, pagination: Pagination
    ) {
        self.request = request
        self.version = version
        self.pagination = pagination
        var position: PagePosition?
        if let stored, stored.facts.version == version,
            let data = stored.facts.walk.position
        {
            position = try? JSONDecoder().decode(PagePosition.self, from: data)
        }
        if let stored, let position, start == position || start == nil && resumes {
            self.start = position
            id = stored.facts.walk.id
            isFirst = false
            reasons = []
        } else {
            self.start = start
            id = .random(in: 1 ... .max)
            isFirst = true
            var reasons: Set<IncompletenessReason> = start == nil ? [] : [.laterStart]
            if pagination.endsByShortPage { reasons.insert(.shortPage) }
            self.reasons = reasons
        }
    }

    /// Returns the change of the collection by a page that the server sent.
    func change(
        by page: PageResponse, importedAs result: ManagedResult, at date: Date
    ) -> CollectionChange {
        let (response, members) = (page.response, result.objectIDs)
        var ownReasons = Self.reasons(about: response, result)
        var facts = CollectionFacts()
        let fields = response.head.headerFields
        facts.vary = fields.bytes(of: .vary).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let request = (response.interceptor as? PageInterceptor)?.request ?? response.request
        let selection = CollectionInterceptor.selection(of: request, byVary: facts.vary)
        facts.selection = selection ?? ""
        facts.nestedEntities = result.nestedEntities
        facts.nestingDepth = result.nestingDepth
        // Elements that could not be imported are in the next response again, and so are values in whose
        // place newer ones were kept.
        if ownReasons.isEmpty, !result.isHeldBack, selection != nil, !CacheControl(fields).noStore {
            facts.validators = CollectionValidators(of: response.head, receivedAt: date)
        }
        // Objects at the key path of another descriptor may be the missing ones.
        if !response.absentEntityNames.isEmpty { ownReasons.insert(.unexpectedShape) }
        return change(
            by: page, members, facts, ownReasons, at: date,
            PageFacts(
                page, fields: pagination.headerValues(in: response.head).map(WalkedPages.digest),
                representationCount: response.representationCount))
    }

    /// Returns the change of the collection by a stored page that the server has confirmed.
    ///
    /// - Parameters:
    ///   - page: The response without body.
    ///   - stored: The stored page.
    ///   - members: The IDs of the objects of the page whose rows still exist.
    ///   - date: The time of the response.
    /// - Returns: The change.
    func change(
        by page: PageResponse, confirming stored: StoredPage, members: [ManagedObjectID],
        at date: Date
    ) -> CollectionChange {
        var facts = CollectionFacts()
        facts.vary = stored.vary
        facts.selection = stored.selection
        var ownReasons: Set<IncompletenessReason> = [.confirmedPage]
        if members.count == stored.members.count {
            facts.validators = stored.validators
        } else {
            ownReasons.insert(.missingElement)
        }
        return change(
            by: page, members, facts, ownReasons, at: date,
            PageFacts(
                page, fields: stored.facts.fields,
                representationCount: stored.facts.unmodifiedPage?.representationCount
                    ?? members.count))
    }

    private func change(
        by page: PageResponse, _ members: [ManagedObjectID], _ facts: CollectionFacts,
        _ ownReasons: Set<IncompletenessReason>, at date: Date, _ pageFacts: PageFacts
    ) -> CollectionChange {
        var facts = facts
        facts.version = version
        facts.walk = CollectionWalk(id: id)
        facts.walk.position = page.page.nextPosition.flatMap { try? JSONEncoder.sorted.encode($0) }
        facts.walk.total = page.page.totalObjects
        facts.walk.reasons = reasons.union(ownReasons)
        // The number of objects tells where the list ends.
        if facts.walk.total != nil { facts.walk.reasons.remove(.shortPage) }
        return .fetched(
            CollectionResponse(
                request, members, url: page.response.url.requestText, fetchedAt: date,
                facts: facts,
                extent: .page(index: page.page.index, isFirst: isFirst, pageFacts)))
    }

    private static func reasons(
        about response: ObjectResponse, _ result: ManagedResult
    ) -> Set<IncompletenessReason> {
        var reasons: Set<IncompletenessReason> = []
        if !response.isList { reasons.insert(.unexpectedShape) }
        let entities = result.objectIDs.map(\.entityName)
        if result.isIncomplete || result.objectIDs.count != response.representationCount
            || !result.uncertainEntities.isDisjoint(with: entities)
        {
            reasons.insert(.missingElement)
        }
        return reasons
    }
}
