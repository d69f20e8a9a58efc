// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A request whose response is not imported yet, with the commits since it was sent.
///
/// The identity of a request among those of its store, which are numbered in the order in which they were
/// sent. The commits are kept until the ticket ends or is released.
final class RequestTicket: Sendable {
    /// The number of the request, which is less than those of later requests and commits.
    let number: UInt64
    /// The time before the request was sent; `nil` if it is not known.
    let date: Date?
    private let feed: CommitFeed
    private let last: Mutex<CommitFeed.Node?>

    private let isCounted: Bool

    init(_ feed: CommitFeed, isCounted: Bool, at date: Date?) {
        let (number, last) = feed.beginRequest(isCounted: isCounted)
        self.number = number
        self.date = date
        self.isCounted = isCounted
        self.feed = feed
        self.last = Mutex(last)
    }

    deinit { end() }

    /// The last node before the request was sent; `nil` after the end.
    var node: CommitFeed.Node? { last.withLock(\.self) }

    /// Releases the commits, when the response is imported.
    func end() {
        let node = last.withLock { $0.take() }
        if node != nil, isCounted { feed.endRequest() }
    }
}

/// The request whose response a transaction saves.
package struct RespondedRequest: Sendable {
    /// The number of the request; `nil` if it is not known when it was sent.
    package let number: UInt64?
    /// A Boolean value that indicates whether the request has changed the server.
    package let isWrite: Bool

    package init(number: UInt64?, isWrite: Bool) {
        self.number = number
        self.isWrite = isWrite
    }
}

/// The place of a transaction among the requests and the saves of a store.
///
/// The values of a save, or of the response to a write, are as new as the commit. The values of the response
/// to a read are as old as the request, because the server may have read them at once.
struct WriteStamp: Sendable {
    /// The number of the commit; of the response to a read, that of its request.
    let number: UInt64
    /// The number of the request that has changed the server; `nil` for saves and reads.
    let write: UInt64?

    init(number: UInt64) {
        self.number = number
        write = nil
    }

    init(_ writer: RespondedRequest?, at commit: UInt64) {
        number = writer.flatMap { $0.isWrite ? nil : $0.number } ?? commit
        write = writer.flatMap { $0.isWrite ? $0.number : nil }
    }
}
