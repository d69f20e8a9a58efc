// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestTransport

/// The reading of a list: the records of a resource for one combination of parents.
///
/// A walk reads the pages from the first to the last. What was read of a page is saved in one transaction with
/// the position of the next one, so that an interrupted walk goes on there. A walk over several pages whose list
/// has lost rows, or whose cursor would pass pages that shift, is repeated until nothing changes: only then is
/// what was not read not in the list.
struct ListWalk: Sendable {
    let plan: ResourcePlan
    let parents: ParentRecord
    /// The state that the file has.
    var stored: ListState
    var summary: ResourceSummary
    /// The time of the end of the last interval, which is the same in all passes.
    let now: Int64
    /// The digests of the pages of a walk of changes, which are not stored.
    var digests: [[UInt8]] = []
    /// A Boolean value that indicates whether positions of pages are numbers, which shift when the list changes.
    var isPositional = false
    /// The end of what the walk has read; `nil` before it.
    private(set) var reach: WalkReach?
    /// The position at which the lists of the resource start that have been read before; `nil` if each has its own.
    let shared: SharedCursor?
    /// The state of the list before the walk.
    let known: StoredList
    /// The number of passes so far.
    var passNumber = 0
    /// The rows of the pages of the pass.
    var progress = ListProgress()
    /// The last page, if it is written with the end of the walk; see ``finishLastPage()``.
    var lastPage: PendingPage?

    /// The number of walks after which a list is given up that changes all the time.
    static let passCount = 4
    /// The age in seconds of an interrupted walk from which its first pages are read again.
    private static let maximumAge: Int64 = 3_600

    init(
        _ plan: ResourcePlan, of parents: ParentRecord, from list: StoredList,
        _ shared: SharedCursor? = nil
    ) {
        known = list
        self.plan = plan
        self.shared = shared
        self.parents = parents
        stored = list.state
        now = plan.requester.now
        summary = ResourceSummary(plan.name)
    }

    /// One pass over the pages of a list.
    struct Pass: Sendable {
        var walk = WalkState()
        /// A Boolean value that indicates whether the pass reads the whole list, and not only changes.
        let isFull: Bool
        /// A Boolean value that indicates whether no page is requested with a condition.
        let isVerifying: Bool
        var isResumed = false
        /// The number of pages that are not those of the pass before.
        var changedCount = 0
        var pageCount = 0
        /// The number of records of the whole list, if the server says it.
        var total: Int?
        /// The number of records of the first page.
        var firstCount = 0
        /// A Boolean value that indicates whether the server has no list for the parents.
        var isGone = false
        /// A Boolean value that indicates whether the list has an end that no request reaches.
        var isCut = false
        /// A Boolean value that indicates whether the last page is written with the end of the walk.
        var isEnded = false
        /// The positions of the pages, of which none may occur twice.
        var positions: Set<Int> = []
    }

    /// A server that does not have the position of a request any more.
    struct PositionExpired: Error {}

    // MARK: Walking

    /// Reads the list.
    ///
    /// - Throws: ``MirrorError``, or `CancellationError`. What was read is saved.
    mutating func run() async throws {
        do {
            try await walk(from: start(), isResuming: true)
        } catch is PositionExpired {
            stored.cursor = nil
            stored.isComplete = false
            try await save(stored, removingWalk: true)
            do {
                try await walk(from: nil, isResuming: false)
            } catch is PositionExpired {
                throw MirrorError(
                    .responseRefused, resource: plan.name,
                    details: ["the server asks to start again after the start"])
            }
        }
    }

    /// Returns the start of the interval to read; `nil` to read everything.
    private func start() -> String? {
        guard let cursor = plan.resource.cursor else { return nil }
        let known = shared == nil ? stored.cursor : shared?.start
        guard stored.isComplete, let position = known else {
            return cursor.initialValue?.description
        }
        // The server does not keep the changes since the last walk.
        if let retention = cursor.retention, let last = stored.walkedAt,
            Double(now - last) > retention / .seconds(1)
        {
            return nil
        }
        return CursorFormat(cursor).start(after: CursorValue(position))
    }

    private mutating func walk(from start: String?, isResuming: Bool) async throws {
        // The first walk reads everything there is to read.
        let isFull = start == nil || !stored.isComplete
        var pass = try await read(from: start, isFull: isFull, isResuming: isResuming)
        if pass.isGone {
            reach = WalkReach()
            return
        }
        if pass.isEnded {
            warn(about: pass)
            return
        }
        if pass.isResumed, isOld(pass.walk) {
            let high = pass.walk.high
            pass = try await read(from: start, isFull: isFull, isResuming: false)
            pass.walk.high = Self.later(high, pass.walk.high)
        }
        warn(about: pass)
        // One response with records is one state of the list.
        var isStable = pass.changedCount == 0 || pass.pageCount == 1 && pass.walk.recordCount > 0
        if pass.isResumed { isStable = false }
        if try await needsProof(pass), !isStable || pass.pageCount > 1 {
            isStable = false
            for _ in 1..<Self.passCount where !isStable {
                let high = pass.walk.high
                pass = try await read(
                    from: start, isFull: isFull, isResuming: false, isVerifying: true)
                pass.walk.high = Self.later(high, pass.walk.high)
                isStable = pass.changedCount == 0
            }
            if !isStable { warnUnstable() }
        }
        try await finish(pass, isFull: isFull, isStable: isStable)
    }

    /// Returns a Boolean value that indicates whether what was not read has to be proven not to be in the list.
    private func needsProof(_ pass: Pass) async throws -> Bool {
        if shifts, pass.pageCount > 1 { return true }
        guard pass.isFull, plan.deletesByWalk, let id = stored.id else { return false }
        let count = pass.pageCount
        return try await plan.writer.read { tables in
            let removed = try tables.pageCount(from: count, of: id)
            return try removed > 0 || tables.hasUnprovenMissing(in: id)
        }
    }

    /// A Boolean value that indicates whether a walk for a cursor can miss records that shift to an earlier page.
    private var shifts: Bool {
        guard let cursor = plan.resource.cursor, isPositional else { return false }
        return cursor.order != .ascending || cursor.parameter == nil
    }

    /// Saves that the list has been read to its end.
    private mutating func finish(_ pass: Pass, isFull: Bool, isStable: Bool) async throws {
        let end = end(of: pass, isStable: isStable)
        let old = stored
        let needsWriting = try await plan.writer.read { tables in
            guard let id = old.id, end.list == old else { return true }
            if try tables.walk(of: id) != nil { return true }
            guard isFull else { return false }
            let removed = try tables.pageCount(from: end.pageCount, of: id)
            return try removed > 0 || end.isProven && tables.hasUnprovenMissing(in: id)
        }
        guard needsWriting else { return }
        _ = try await plan.writer.write(nil) { tables, _ in try end.save(in: tables) }
        stored = end.list
    }

    /// Returns the end of a walk after its last pass, and notes what the walk has reached.
    mutating func end(of pass: Pass, isStable: Bool) -> WalkEnd {
        var list = stored
        list.isComplete = true
        list.parentDigest = parents.digest
        let advances = !pass.isCut && (isStable || !shifts || pass.pageCount <= 1)
        reach = WalkReach(
            high: pass.walk.high, startedAt: pass.walk.startedAt, isHeld: !advances)
        if let cursor = plan.resource.cursor, advances {
            if shared == nil { list.cursor = position(reachedBy: pass, cursor) ?? list.cursor }
            noteTime(of: pass, cursor, in: &list)
        }
        return WalkEnd(
            list: list, pageCount: pass.pageCount, isFull: pass.isFull,
            isProven: pass.isFull && isStable && plan.deletesByWalk && !pass.isCut,
            notesMissing: plan.deletesByWalk)
    }

    /// Notes the time from which the server has to keep changes.
    ///
    /// Only a cursor with a retention needs it, and not to the second: an unchanged list is then written by few runs.
    private func noteTime(
        of pass: Pass, _ cursor: CursorDefinition, in list: inout ListState
    ) {
        guard let retention = cursor.retention, let time = pass.walk.startedAt else { return }
        if let known = list.walkedAt, Double(time - known) < retention / .seconds(16) { return }
        list.walkedAt = time
    }

    /// Returns the position that a walk has reached, and which is not after anything that it may have missed.
    private func position(reachedBy pass: Pass, _ cursor: CursorDefinition) -> String? {
        switch cursor.source {
        case .requestTime:
            // The clock of the server, at the first request.
            return pass.walk.startedAt.map {
                CursorFormat(cursor).text(seconds: Double($0), like: nil)
            }
        case .field:
            guard let high = pass.walk.high else { return nil }
            // A record from the future would hide all changes until then.
            guard let start = pass.walk.startedAt,
                let seconds = CursorValue(high).seconds(as: cursor.format),
                seconds > Double(start)
            else { return high }
            return CursorFormat(cursor).text(seconds: Double(start), like: high)
        }
    }

    /// Saves the state of the list, if it has one.
    private func save(_ list: ListState, removingWalk: Bool) async throws {
        guard list.id != nil else { return }
        _ = try await plan.writer.write(nil) { tables, _ in
            let id = try tables.store(list)
            if removingWalk { try tables.removeWalk(of: id) }
            return id
        }
    }

    private func isOld(_ walk: WalkState) -> Bool {
        guard plan.resource.cursor == nil, let start = walk.startedAt else { return false }
        return plan.requester.now - start > Self.maximumAge
    }

    static func later(_ left: String?, _ right: String?) -> String? {
        guard let left, let right else { return left ?? right }
        return CursorValue(left) > CursorValue(right) ? left : right
    }

    // MARK: Warnings

    private func warnUnstable() {
        if plan.resource.cursor != nil {
            plan.warn(
                .cursorStays,
                "the list changed during each of \(Self.passCount) walks, so that the next run reads the same "
                    + "interval again; request the oldest first, and declare `order: ascending`")
        } else {
            plan.warn(
                .unprovenDeletion,
                "the list changed during each of \(Self.passCount) walks; rows that it has lost are kept "
                    + "until a later run")
        }
    }

    /// Reports what makes the completeness of a walk doubtful.
    private func warn(about pass: Pass) {
        if plan.pagination == nil, pass.pageCount == 1, Self.commonSizes.contains(pass.firstCount) {
            plan.warn(
                .onlyOnePage, isIncomplete: true,
                "the first page has exactly \(pass.firstCount) records and no link to another one; declare "
                    + "the pagination, or `none`")
        }
        if let total = pass.total, pass.isFull, !pass.isResumed, pass.walk.start == nil,
            pass.walk.recordCount < total
        {
            plan.warn(
                .fewerThanTotal, isIncomplete: true,
                "the server counts \(total) records and has sent \(pass.walk.recordCount)")
        }
        if let total = pass.total, pass.isFull, !pass.isResumed, pass.walk.start == nil,
            pass.walk.recordCount > total
        {
            plan.warn(
                .moreThanTotal,
                "the server counts \(total) records and has sent \(pass.walk.recordCount); remove `total`, if it "
                    + "is no count of the list")
        }
        if pass.isCut {
            plan.warn(
                .windowTooSmall, isIncomplete: true,
                "the server returns at most \(plan.pagination?.cap ?? 0) records of a search, and more have "
                    + "the same value of the cursor")
        }
    }

    /// The numbers of records that servers usually send in a page.
    private static let commonSizes: Set<Int> = [
        10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 500, 1_000,
    ]
}
