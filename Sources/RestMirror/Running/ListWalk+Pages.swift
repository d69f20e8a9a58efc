// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDefinition
import RestDocument
import RestRows
import RestTransport

/// The pages of a pass.
extension ListWalk {
    /// A page with the records and the state that its response has.
    struct Page: Sendable {
        /// The mapped records; `nil` if the stored page has not changed.
        var records: MappedRecords?
        /// The state of the page.
        var state: StoredListPage
        /// A Boolean value that indicates whether the state differs from the stored one.
        var isChanged: Bool
        /// The number of records of the list, if the server says it.
        var total: Int?
        /// The records before their mapping.
        var elements: [Node] = []
        /// The reason why the walk ends here, although the list may not.
        var failure: MirrorError?
    }

    /// Reads all pages once.
    ///
    /// - Parameters:
    ///   - start: The start of the interval; `nil` for the beginning of the list.
    ///   - isFull: A Boolean value that indicates whether the pass reads everything, and not only changes.
    ///   - isResuming: A Boolean value that indicates whether an interrupted walk is continued.
    ///   - isVerifying: A Boolean value that indicates whether no page is requested with a condition.
    /// - Returns: The pass at the end of the list.
    /// - Throws: ``MirrorError``, ``PositionExpired`` or `CancellationError`.
    mutating func read(
        from start: String?, isFull: Bool, isResuming: Bool, isVerifying: Bool = false
    ) async throws -> Pass {
        var pass = Pass(isFull: isFull, isVerifying: isVerifying)
        pass.walk.start = start
        pass.walk.end = intervals?.end(after: start)
        passNumber += 1
        progress = ListProgress()
        if isResuming, let walk = known.walk {
            pass.walk = walk
            pass.isResumed = true
            pass.pageCount = walk.page
        }
        let expected = digests
        digests = []
        var previous: [UInt8]?
        var (request, known) = try await composed(pass)
        var fetched: FetchedPage
        do {
            fetched = try await fetch(request, known, pass)
        } catch let error as MirrorError where error.code == .responseRefused && pass.isResumed {
            // The position of an interrupted walk may not be valid any more.
            throw PositionExpired()
        }
        var pending: PendingPage?
        do {
            while true {
                try Task.checkCancellation()
                summary.requestCount += fetched.requestCount
                summary.byteCount += fetched.byteCount
                if pass.walk.startedAt == nil {
                    pass.walk.startedAt = fetched.date ?? plan.requester.now
                }
                if case .restart = fetched.content { throw PositionExpired() }
                let number = digests.count
                digests.append(fetched.digest)
                // The page before is written while this one is parsed and mapped.
                let (page, next) = try page(fetched, request, known, after: previous, &pass)
                try await finish(&pending)
                try checkProgress()
                // The intervals of a cursor follow from the documents, so that their pages are read in each pass.
                let isNew =
                    pass.isFull && plan.resource.cursor == nil
                    ? page.isChanged
                    : number >= expected.count || expected[number] != fetched.digest
                if isNew { pass.changedCount += 1 }
                let failure = page.failure ?? repetition(of: next, &pass)
                previous = page.state.recordCount > 0 ? fetched.digest : nil
                let saved = failure == nil ? next : nil
                let end = next == nil && failure == nil ? endAfterOnlyPage(pass) : nil
                pending = PendingPage(
                    page: page, pass: pass, end: end, task: write(page, pass, saved, end))
                guard let next, failure == nil else {
                    pass.isEnded = end != nil
                    if pass.isEnded, fetched.byteCount <= Self.smallByteCount {
                        (lastPage, pending) = (pending, nil)
                    } else {
                        try await finish(&pending)
                    }
                    if let failure { throw failure }
                    return pass
                }
                // The next page is requested while this one is written.
                var following = pass
                following.walk = next
                (request, known) = try await composed(following)
                fetched = try await fetch(request, known, pass)
                pass.walk = next
            }
        } catch {
            // What was received is saved.
            try await finish(&pending)
            throw error
        }
    }

    /// The size in bytes of the largest page that many lists can have in memory at the same time.
    private static let smallByteCount = 1 << 16

    /// A page that is being written.
    struct PendingPage: Sendable {
        let page: Page
        let pass: Pass
        /// The end of the walk, if it is written with the page.
        let end: WalkEnd?
        /// The transaction; `nil` for a page that needs none.
        let task: Task<WrittenRows, any Error>?
    }

    /// Waits until a page has been written, and reports it.
    ///
    /// - Throws: ``MirrorError`` of the transaction.
    mutating func finish(_ pending: inout PendingPage?) async throws {
        guard let current = pending else { return }
        pending = nil
        let written = try await current.task?.value ?? WrittenRows()
        note(current.page, written, current.pass)
        if current.page.state.next != nil || current.pass.pageCount > 1 {
            progress.add(current.page.state.keys, written.keys, of: current.pass.walk)
        }
        if let end = current.end {
            let id = stored.id
            stored = end.list
            stored.id = id
        }
    }

    private mutating func note(_ page: Page, _ written: WrittenRows, _ pass: Pass) {
        if stored.id == nil { stored.id = written.listID }
        summary.rows.add(written.counts)
        summary.pageCount += 1
        summary.recordCount += page.state.recordCount
        if !page.isChanged { summary.unmodifiedPageCount += 1 }
        warn(aboutRowsOf: written.keys, ofPage: pass.pageCount)
        if let issues = written.issues {
            for (entity, names) in issues.retyped {
                // Records of related entities are inside of those of the page.
                plan.evolution.add([], of: entity, unfitting: names)
            }
            for (entity, names) in issues.missing {
                plan.evolution.add(missing: names, of: entity)
            }
            if !issues.retyped.isEmpty, case .one(let entity) = plan.resource.entity {
                plan.evolution.add(page.elements, of: entity)
            }
            plan.warn(
                .unfitting,
                "\(issues.count) values of page \(pass.pageCount) do not fit"
                    + (issues.first.map { ", such as \($0)" } ?? "")
                    + "; \(MirrorTables.quarantine) has them")
        }
        plan.report(
            .page(
                MirrorEvent.Page(
                    resource: plan.name, parent: stored.parent, number: pass.pageCount,
                    recordCount: page.state.recordCount, rows: written.counts, total: page.total,
                    isUnmodified: !page.isChanged)))
    }

    // MARK: Requests

    /// Returns the request of the next page, and the stored page to compare the response with.
    private func composed(_ pass: Pass) async throws -> (TransportRequest, StoredListPage?) {
        let walk = pass.walk
        let request = try plan.composer.request(
            for: walk.position, parents, RequestInterval(start: walk.start, end: walk.end))
        // The cursor needs the records of all pages.
        guard pass.isFull, plan.resource.cursor == nil, let id = stored.id else {
            return (request, nil)
        }
        let page: StoredListPage?
        if passNumber == 1, walk.page == 0 || walk.page > known.lastPage ?? -1 {
            page = walk.page == 0 ? known.firstPage : nil
        } else {
            page = try await plan.writer.read { try $0.page(walk.page, of: id) }
        }
        return (request, page?.answers(request) == true ? page : nil)
    }

    private func fetch(
        _ request: TransportRequest, _ known: StoredListPage?, _ pass: Pass
    ) async throws -> FetchedPage {
        try await plan.requester.fetch(
            request, unless: known,
            isConditional: !pass.isVerifying && known.map(canBeConfirmed) ?? false,
            hasParents: !plan.resource.parents.isEmpty, hasInterval: pass.walk.start != nil)
    }

    /// Returns a Boolean value that indicates whether 304 says everything about a page.
    ///
    /// The validators of a page do not cover header fields, so that the last one can have gained a successor.
    private func canBeConfirmed(_ page: StoredListPage) -> Bool {
        if page.next != nil { return true }
        let isInHeader: Bool =
            switch plan.pagination?.rule {
            case .linkHeader, .custom, nil: true
            case .cursor(.header, _): true
            default: false
            }
        guard isInHeader else { return true }
        return plan.pagination?.size.map { page.recordCount < $0.count } ?? false
    }

    // MARK: Responses

    /// Reads a response.
    ///
    /// - Returns: The page, and the walk after it; `nil` at the end of the list.
    private mutating func page(
        _ fetched: FetchedPage, _ request: TransportRequest, _ known: StoredListPage?,
        after previous: [UInt8]?, _ pass: inout Pass
    ) throws -> (Page, WalkState?) {
        pass.pageCount += 1
        var state = StoredListPage(
            position: pass.walk.position, request: request.bodyDigest, entityTag: fetched.entityTag,
            lastModified: fetched.lastModified, digest: fetched.digest, recordCount: 0, keys: [],
            url: request.url.requestText)
        switch fetched.content {
        case .nothing, .restart:
            pass.isGone = pass.pageCount == 1 && [404, 410].contains(fetched.head.status.code)
            if pass.pageCount == 1 { pass.firstCount = 0 }
            return (Page(state: state, isChanged: known?.digest != state.digest), nil)
        case .unmodified:
            guard let known else { throw MirrorError(.unreadableResponse, resource: plan.name) }
            var same = known
            if fetched.head.status.code != 304 {
                same.entityTag = state.entityTag
                same.lastModified = state.lastModified
            }
            if pass.pageCount == 1 { pass.firstCount = known.recordCount }
            pass.walk.recordCount += known.recordCount
            return (Page(state: same, isChanged: same != known), following(known.next, pass))
        case .document(let document):
            let records: PageRecords
            do throws(MirrorError) {
                records = try PageRecords(in: document, by: plan.resource.records)
            } catch {
                throw error.of(plan.name)
            }
            if pass.pageCount == 1 { pass.firstCount = records.count }
            pass.walk.recordCount += records.count
            if let path = cursorPath {
                for record in records.unfilteredElements {
                    guard let value = CursorValue(of: record, at: path) else { continue }
                    pass.walk.high = Self.later(pass.walk.high, value.text)
                }
            }
            state.recordCount = records.count
            let facts = NextPage.Facts(
                head: fetched.head, root: document.root, records: records,
                position: pass.walk.position, url: fetched.url,
                recordCount: pass.walk.recordCount,
                isRepeated: previous == fetched.digest && previous != nil,
                pageCount: pass.pageCount)
            let pagination = plan.pagination ?? LinkDetector.pagination(of: facts)
            let total = NextPage.value(pagination.total, facts).flatMap(NextPage.integer)
            if pass.total == nil { pass.total = total }
            var failure: MirrorError?
            do throws(MirrorError) {
                if case .page(let position) = try NextPage(
                    after: facts, by: pagination, plan.composer)
                {
                    state.next = position
                    isPositional = isPositional || pagination.isPositional(position)
                }
            } catch {
                failure = error.of(plan.name)
                // Confirming the page would confirm that it is the last one.
                (state.entityTag, state.lastModified, state.digest) = (nil, nil, [])
            }
            let short = plan.embeddedLists?.short(in: records.elements) ?? []
            var mapped = try plan.writer.map(
                records, of: document, parents,
                short: short.contains(where: \.isMapped) ? plan.embeddedLists : nil)
            mapped.unknown = try unknownValues(of: records.elements)
            mapped.origin = ResponseWrite(
                method: request.method.rawValue, url: state.url,
                status: fetched.head.status.code, mappingVersion: plan.version,
                at: plan.requester.date)
            let page = Page(
                records: mapped, state: state, isChanged: true, total: total,
                elements: records.elements, failure: failure)
            warn(about: short)
            if failure != nil { return (page, nil) }
            if endsAtPosition(records, pass) { return (page, nil) }
            let cap = plan.pagination?.cap
            if let cap, let total, total > cap, plan.hasEnd {
                return (page, nextInterval(&pass, hasMore: true))
            }
            if let following = following(state.next, pass) { return (page, following) }
            let hasMore = state.next != nil && cap.map { pass.walk.recordCount >= $0 } == true
            return (page, nextInterval(&pass, hasMore: hasMore))
        }
    }

    // MARK: Writing

    /// Starts to write a page with the position of the next one, or with the end of the walk.
    ///
    /// - Returns: The transaction; `nil` if the file has everything.
    private func write(
        _ page: Page, _ pass: Pass, _ next: WalkState?, _ end: WalkEnd?
    ) -> Task<WrittenRows, any Error>? {
        let writer = plan.writer
        // The page can have lost rows, of which the end says that the server does not have them.
        let end = end.flatMap { $0.changes(known) || page.isChanged && $0.isProven ? $0 : nil }
        if !page.isChanged {
            return end.map { end in
                Task { try await writer.write(nil) { tables, _ in try end.save(in: tables) } }
            }
        }
        let list = stored
        let number = pass.walk.page
        let isFull = pass.isFull
        let notesMissing = plan.deletesByWalk
        let isEmptyResponse = pass.isGone
        let tracksRows = plan.tracksRows
        let run = writer.run
        // A page in hand is written also when the run is cancelled.
        return Task {
            try await writer.write(page.records) { tables, written in
                if isEmptyResponse { return list.id }
                let id = try list.id ?? tables.store(end?.list ?? list)
                if isFull {
                    var state = page.state
                    if page.records != nil { state.keys = written.keys }
                    try tables.store(state, number, of: id, notesMissing: notesMissing, in: run)
                } else if tracksRows {
                    try tables.addChanged(written.keys, to: id, in: run)
                }
                if let records = page.records {
                    let identity = RecordIdentity(of: writer.resource, writer.definition)
                    try tables.replaceQuarantine(
                        by: written.issues?.quarantined ?? [],
                        ofPage: isFull ? number : MirrorTables.changesPage, id,
                        of: list.resource,
                        identities: { records.records.compactMap { identity.text(of: $0) } },
                        run: { try tables.number(of: run) })
                }
                if let next { try tables.store(next, of: id) }
                // Of a new list, the file has nothing else.
                if let end, list.id != nil { _ = try end.save(in: tables) }
                return id
            }
        }
    }
}

extension TransportRequest {
    /// The digest of the body, by which a stored page is found to be that of a request; empty for no body.
    var bodyDigest: [UInt8] {
        guard let bytes = body.bytes, !bytes.isEmpty else { return [] }
        return SHA256.digest(of: bytes)
    }
}
