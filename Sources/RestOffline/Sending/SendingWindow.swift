// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence

/// The requests of a sender that are in progress, and the steps that follow.
///
/// A request begins when any other one ends. Entries are scanned in their order. The scan begins again after its end
/// if something has changed meanwhile.
struct SendingWindow {
    /// The steps to begin.
    struct Selection {
        /// The steps that begin at once.
        var others: [OutboxPlan.Step] = []
        /// The steps whose requests are written first, in one transaction.
        var sends: [OutboxPlan.Step] = []
        /// The maximum number of requests among them.
        var limit: Int
    }

    /// The maximum number of requests in progress.
    let limit: Int
    /// The number of requests in progress.
    private(set) var requestCount = 0
    /// The steps to try, the oldest entries first.
    private var steps: [OutboxPlan.Step] = []
    /// The number of the entry after which the next plan begins; `nil` after the last entry.
    private var position: Int64? = 0
    /// A Boolean value that indicates whether something has changed since the scan began.
    private var isChanged = false
    /// The objects of the steps in progress.
    private var busy: Set<EditedObject> = []
    /// The objects without entries that are being read.
    private var reading: Set<EditedObject> = []
    /// The objects that are being read, and have got an entry meanwhile.
    private var edited: Set<EditedObject> = []
    /// The objects that are not ready, because they wait for others.
    private var blocked: Set<EditedObject> = []
    /// The objects that wait for an object.
    private var followers: [EditedObject: [EditedObject]] = [:]
    /// The objects whose last step has failed in the store.
    private var failed: Set<EditedObject> = []
    /// The objects to read after all edits; `nil` if they are not known.
    private var unread: [EditedObject]?
    /// The time at which the scan began.
    ///
    /// The next time is searched from here on, so that none is missed that comes during the scan.
    var scanDate = Date.distantPast
    /// The number of the last known commit of the store.
    private var commitNumber: UInt64?
    /// The last known number of changes.
    private var wakeCount = -1
    /// A Boolean value that indicates whether nothing begins before others change something.
    var isSuspended = false
    /// A Boolean value that indicates whether nothing begins before something changes.
    var isFinished = false

    init(limit: Int) { self.limit = limit }

    var hasSlots: Bool { requestCount < limit }
    var hasSteps: Bool { !steps.isEmpty }
    /// A Boolean value that indicates whether a step in progress sends an edit, or has to end before one is sent.
    var isSending: Bool { busy.count > reading.count }
    var isBusy: Bool { !busy.isEmpty }
    var needsUnread: Bool { unread == nil }
    var hasFailures: Bool { !failed.isEmpty }

    // MARK: Scanning

    /// Begins the scan again after the present steps, because any object may be ready.
    mutating func restart(at count: Int) {
        (position, isChanged, isSuspended, isFinished) = (0, false, false, false)
        (blocked, followers, failed, unread) = ([], [:], [], nil)
        wakeCount = count
    }

    /// Begins the scan again after its end, if others have changed something.
    mutating func noteChanges(_ count: Int) {
        if count == wakeCount { return }
        wakeCount = count
        isSuspended = false
        noteChange()
    }

    /// Begins the scan again after its end.
    mutating func noteChange() { (isChanged, isFinished) = (true, false) }

    /// Notes the last commit of the store, after which objects may no longer wait for others.
    mutating func note(commit number: UInt64) {
        if number != commitNumber { (blocked, followers, unread) = ([], [:], nil) }
        commitNumber = number
    }

    /// Returns the position of the next plan; `nil` if all entries were read, and nothing has changed since.
    mutating func nextPosition() -> Int64? {
        if position == nil, isChanged { (position, isChanged) = (0, false) }
        return position
    }

    mutating func take(_ plan: OutboxPlan) {
        edited.formUnion(plan.steps.lazy.map(\.object).filter(reading.contains))
        steps = plan.steps.filter {
            !busy.contains($0.object) && !blocked.contains($0.object) && !failed.contains($0.object)
        }
        position = plan.end
    }

    mutating func take(unread objects: [EditedObject]) {
        unread = objects.filter { !busy.contains($0) && !failed.contains($0) }
    }

    // MARK: Steps

    /// Removes the next steps.
    ///
    /// - Parameter batchLimit: The maximum number of edits of one save that one request sends; `nil` for a
    ///   request for each.
    /// - Returns: The steps.
    mutating func select(batchLimit: Int?) -> Selection {
        var selection = Selection(limit: limit - requestCount)
        var unitCount = 0
        // The number of edits that the last request of a save can still contain.
        var places: [Int64: Int] = [:]
        var rest: [OutboxPlan.Step] = []
        for step in steps {
            if step.kind != .send {
                guard unitCount < selection.limit else {
                    rest.append(step)
                    continue
                }
                selection.others.append(step)
                selection.limit -= 1
            } else if let batchLimit {
                if let save = step.save, let count = places[save], count > 0 {
                    places[save] = count - 1
                } else if unitCount < selection.limit {
                    unitCount += 1
                    if let save = step.save { places[save] = batchLimit - 1 }
                } else {
                    rest.append(step)
                    continue
                }
                selection.sends.append(step)
            } else if selection.limit > 0 {
                // Some may have to wait for others.
                selection.sends.append(step)
            } else {
                rest.append(step)
            }
        }
        steps = rest
        begin(selection.others.map(\.object), requestCount: selection.others.count)
        return selection
    }

    /// Puts steps back that were not begun.
    mutating func putBack(_ rest: [OutboxPlan.Step]) { steps = rest + steps }

    /// Removes the next objects to read, as many as there may be requests.
    mutating func selectUnread() -> [EditedObject] {
        let objects = Array((unread ?? []).prefix(limit - requestCount))
        unread?.removeFirst(objects.count)
        reading.formUnion(objects)
        begin(objects, requestCount: objects.count)
        return objects
    }

    /// Notes that requests have begun.
    mutating func begin(_ objects: [EditedObject], requestCount count: Int) {
        busy.formUnion(objects)
        requestCount += count
    }

    /// Notes that the step of an object has failed before its request.
    mutating func fail(_ object: EditedObject) { failed.insert(object) }

    /// Notes that an object waits for others.
    mutating func block(_ object: EditedObject, by others: Set<EditedObject>) {
        // Without others, it waits for a time.
        blocked.insert(object)
        for other in others { followers[other, default: []].append(object) }
    }

    /// Notes that the step of an object has ended.
    mutating func end(_ object: EditedObject, hasFailed: Bool) {
        busy.remove(object)
        let wasReading = reading.remove(object) != nil
        if hasFailed { failed.insert(object) }
        for follower in followers.removeValue(forKey: object) ?? [] { blocked.remove(follower) }
        isFinished = false
        if edited.remove(object) != nil { isChanged = true }
        if !wasReading { (isChanged, unread) = (true, nil) }
    }

    /// Notes that requests have ended.
    mutating func endRequests(_ count: Int) { requestCount -= count }
}
