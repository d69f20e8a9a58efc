// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A moment between two commits of a store, after which changes are known.
///
/// Whoever reads IDs notes the moment before. Objects can then be created later, and in another
/// isolation, without asking the database whether their rows still exist.
///
/// The moment before a request tells what its response may not change: what saves, and requests that were
/// sent later, have written since.
package struct CommitPosition: Sendable {
    private enum Start {
        case commit(CommitFeed.Node)
        case request(RequestTicket)
    }

    private let start: Start
    /// The unsaved changes that a context and its parents had; `nil` if they are not known.
    private let unsaved: [ChangeSet]?

    package init(_ feed: CommitFeed, unsaved: [ChangeSet]? = nil) {
        start = .commit(feed.last)
        self.unsaved = unsaved
    }

    private init(_ ticket: RequestTicket, unsaved: [ChangeSet]?) {
        start = .request(ticket)
        self.unsaved = unsaved
    }

    /// Returns the present moment, before a request is sent, with the unsaved changes of this one.
    ///
    /// The commits since are kept until ``endRequest()``, or until the moment is released.
    ///
    /// - Parameters:
    ///   - feed: The commits of the store.
    ///   - isCounted: A Boolean value that indicates whether others record what they confirm for the request.
    ///   - date: The time by the clock of the requests; `nil` if it is not known.
    /// - Returns: The moment.
    package func beginningRequest(
        _ feed: CommitFeed, isCounted: Bool = true, at date: Date? = nil
    ) -> CommitPosition {
        CommitPosition(RequestTicket(feed, isCounted: isCounted, at: date), unsaved: unsaved)
    }

    /// Releases the commits since the request was sent, when its response is imported.
    package func endRequest() { ticket?.end() }

    private var ticket: RequestTicket? {
        if case .request(let ticket) = start { ticket } else { nil }
    }

    /// The last node before; `nil` if the request has ended.
    private var node: CommitFeed.Node? {
        switch start {
        case .commit(let node): node
        case .request(let ticket): ticket.node
        }
    }

    /// The number of the request; `nil` if the moment is not that of a request.
    package var requestNumber: UInt64? { ticket?.number }

    /// The time before the request was sent; `nil` if it is not known.
    package var requestDate: Date? { ticket?.date }

    /// A Boolean value that indicates whether all changes since are known: no other process has written.
    package var knowsChanges: Bool {
        var isKnown = node != nil
        forEachNode { if $0.commit?.hasUnnamedChanges == true { isKnown = false } }
        return isKnown
    }

    /// Returns what the response to the request may not change; `nil` if there is nothing.
    ///
    /// - Parameters:
    ///   - isWrite: A Boolean value that indicates whether the request has changed the server. Its
    ///     response is as new as the server's change, so that only later writes have precedence.
    ///   - target: The object of the request, of which the response to a write is the newest word.
    /// - Returns: The properties and objects that later requests, or saves since, have written.
    /// - Complexity: O(*n*) in the number of changes since.
    package func fence(ofWrite isWrite: Bool, target: ManagedObjectID? = nil) -> WriteFence? {
        guard let number = requestNumber else { return nil }
        var written = WrittenValues()
        forEachNode { node in
            let other = isWrite ? node.stamp.write ?? 0 : node.stamp.number
            if other > number { written.add(node) }
        }
        if isWrite, let target { written.remove(target.key) }
        return written.isEmpty ? nil : WriteFence(written: written)
    }

    /// Returns the keys of the rows that were deleted since; `nil` if they are not all known.
    package func deletedKeys() -> Set<Int64>? {
        guard knowsChanges else { return nil }
        var keys: Set<Int64> = []
        forEachNode { node in
            for table in node.commit?.tables ?? [] {
                keys.formUnion(table.deleted.lazy.map(\.key))
            }
        }
        return keys
    }

    private func forEachNode(_ body: (CommitFeed.Node) -> Void) {
        var node = node
        while let next = node?.next {
            body(next)
            node = next
        }
    }

    package func hasUnsaved(_ key: Int64, _ table: Int) -> Bool {
        unsaved?.contains { $0.tables[table].state(of: key) != nil } ?? false
    }

    /// Calls a closure with the unsaved changes, the lowest first; returns `nil` if they are not known.
    package func withUnsaved<Result>(_ body: ([ChangeSet]) -> Result) -> Result? {
        unsaved.map(body)
    }
}

/// The properties and objects that the response to a request may not change, because saves, or requests that
/// were sent later, have written them.
package struct WriteFence: Sendable {
    package private(set) var written: WrittenValues
    /// The keys of the new objects by the index of their entity whose creations are not answered: the server may
    /// have them already.
    package let creations: [Int: Set<Int64>]

    package init(written: WrittenValues, creations: [Int: Set<Int64>] = [:]) {
        self.written = written
        self.creations = creations
    }

    package var isEmpty: Bool { written.isEmpty && creations.isEmpty }

    package mutating func formUnion(_ other: WrittenValues) { written.formUnion(other) }

    /// Returns a Boolean value that indicates whether anything of an object was written.
    package func contains(_ id: ManagedObjectID) -> Bool { written.contains(id.key) }

    /// Returns a Boolean value that indicates whether a later response has brought or confirmed a
    /// collection.
    package func contains(_ collection: CollectionRequest) -> Bool {
        written.collections.contains(collection)
    }
}
