// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestTransport

/// The successor of a page: the next one of its interval, the next interval, or the end of the list.
extension ListWalk {
    private static let maximumPageCount = 10_000_000

    /// The intervals of the list; `nil` if requests name no end.
    var intervals: CursorIntervals? {
        guard plan.hasEnd, let cursor = plan.resource.cursor else { return nil }
        return CursorIntervals(cursor: cursor, now: now)
    }

    var cursorPath: DocumentPath? {
        if case .field(let path)? = plan.resource.cursor?.source { path } else { nil }
    }

    /// Returns a Boolean value that indicates whether the rest of a list with the newest first is known.
    func endsAtPosition(_ records: PageRecords, _ pass: Pass) -> Bool {
        guard plan.resource.cursor?.order == .descending, let path = cursorPath,
            let start = pass.walk.start, let last = records.last,
            let value = CursorValue(of: last, at: path)
        else { return false }
        return CursorValue(start) > value
    }

    /// Returns the error of a position that a pass has had before; `nil` for a new one.
    func repetition(of next: WalkState?, _ pass: inout Pass) -> MirrorError? {
        guard let next else { return nil }
        var hasher = Hasher()
        hasher.combine(next.position)
        hasher.combine(next.start)
        hasher.combine(next.end)
        if pass.positions.insert(hasher.finalize()).inserted,
            pass.pageCount < plan.pagination?.maximumPageCount ?? Self.maximumPageCount
        {
            return nil
        }
        return MirrorError(
            .listDoesNotEnd, resource: plan.name,
            details: [
                "the position after page \(pass.pageCount) repeats, or there are too many pages"
            ])
    }

    func following(_ next: PagePosition?, _ pass: Pass) -> WalkState? {
        guard let next else { return nil }
        if let walk = afterLastRecord(pass) { return walk }
        if let cap = plan.pagination?.cap, pass.walk.recordCount >= cap { return nil }
        var walk = pass.walk
        walk.position = next
        walk.page += 1
        return walk
    }

    /// Returns the walk that begins at the last record of a list with the oldest first.
    ///
    /// Unlike the number of the next page, the position of the last record does not shift when others change.
    func afterLastRecord(_ pass: Pass) -> WalkState? {
        guard let cursor = plan.resource.cursor, cursor.order == .ascending, isPositional,
            cursor.parameter != nil, let high = pass.walk.high
        else { return nil }
        let start = CursorFormat(cursor).start(after: CursorValue(high))
        // All records of the page have the same position.
        if let last = pass.walk.start, !(CursorValue(start) > CursorValue(last)) { return nil }
        var walk = pass.walk
        walk.start = start
        walk.position = .first
        walk.page += 1
        walk.recordCount = 0
        return walk
    }

    /// Returns the walk of the next interval; `nil` at the end of the list.
    ///
    /// - Parameters:
    ///   - pass: The pass, which is cut if no request reaches the rest.
    ///   - hasMore: A Boolean value that indicates whether the server has more records of the interval than it
    ///     returns.
    /// - Returns: The walk.
    func nextInterval(_ pass: inout Pass, hasMore: Bool) -> WalkState? {
        guard let cursor = plan.resource.cursor else {
            pass.isCut = pass.isCut || hasMore
            return nil
        }
        var walk = pass.walk
        walk.page += 1
        walk.position = .first
        walk.recordCount = 0
        if hasMore {
            if walk.start != nil, walk.end != nil {
                // Half of the interval, until its records are as many as the server returns.
                walk.end = intervals?.middle(of: walk.start, walk.end)
                if walk.end != nil { return walk }
            } else if cursor.order == .ascending, cursor.parameter != nil, let high = walk.high,
                case let start = CursorFormat(cursor).start(after: CursorValue(high)),
                start != walk.start
            {
                walk.start = start
                return walk
            }
            pass.isCut = true
            return nil
        }
        let next = intervals?.interval(
            after: walk.start, walk.end, isEmpty: pass.walk.recordCount == 0)
        guard let next else { return nil }
        (walk.start, walk.end) = next
        return walk
    }
}

extension PaginationDefinition {
    /// Returns a Boolean value that indicates whether a position shifts when records before it are removed.
    func isPositional(_ position: PagePosition) -> Bool {
        switch rule {
        case .pageNumber, .offset: return true
        case .singlePage, .cursor, .lastIdentity, .custom: return false
        case .linkHeader, .link:
            guard case .url(let text) = position,
                let query = text.split(separator: "?").dropFirst().first
            else { return true }
            let names = query.split(separator: "&").map { $0.prefix { $0 != "=" }.lowercased() }
            return names.contains { name in
                [
                    "page", "offset", "skip", "start", "_page", "p", "startindex",
                    "page%5bnumber%5d", "$skip", "%24skip",
                ]
                .contains(name)
            }
        }
    }
}
