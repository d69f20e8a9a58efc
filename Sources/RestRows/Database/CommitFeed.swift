// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The commits of a store in the order of its transactions.
///
/// The commits are a linked list. A reader keeps the last node that it has read, so that it needs no
/// registration and misses nothing; nodes that no reader keeps are released.
package final class CommitFeed: Sendable {
    /// A commit and its successor.
    package final class Node: Sendable {
        /// The commit; `nil` in the first node.
        package let commit: StoreCommit?
        /// The values that the transaction has found to be written already, and the rows that it has deleted.
        let written: WrittenValues
        /// The place of the transaction among the requests and the saves.
        let stamp: WriteStamp
        private let successor = Mutex<Node?>(nil)

        init(
            _ commit: StoreCommit?, _ written: WrittenValues = WrittenValues(),
            _ stamp: WriteStamp = WriteStamp(number: 0)
        ) {
            self.commit = commit
            self.written = written
            self.stamp = stamp
        }

        /// The number of the commit, or of the request whose response it has saved, which no other commit has.
        package var number: UInt64 { stamp.number }

        package var next: Node? { successor.withLock(\.self) }

        fileprivate func append(_ node: Node) { successor.withLock { $0 = node } }

        // The successors are released in a loop, because releasing a long list by recursion would
        // overflow the stack.
        deinit {
            var next = successor.withLock { $0.take() }
            while let node = next, isKnownUniquelyReferenced(&next) {
                next = node.successor.withLock { $0.take() }
            }
        }
    }

    private struct State {
        var last = Node(nil)
        /// The number of requests and commits so far.
        var lastNumber: UInt64 = 0
        /// The number of requests whose responses are not imported yet.
        var requestCount = 0
        var observers: [Int: AsyncStream<StoreCommit>.Continuation] = [:]
        var observerCount = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The last node, from which on a new reader reads.
    package var last: Node { state.withLock(\.last) }

    /// The number of requests whose responses are not imported yet.
    package var requestCount: Int { state.withLock(\.requestCount) }

    /// Notes that a request is sent, and returns its number and the last node before it.
    ///
    /// - Parameter isCounted: A Boolean value that indicates whether ``requestCount`` includes the request.
    /// - Returns: The number and the node.
    func beginRequest(isCounted: Bool) -> (number: UInt64, last: Node) {
        state.withLock { state in
            if isCounted { state.requestCount += 1 }
            state.lastNumber += 1
            return (state.lastNumber, state.last)
        }
    }

    /// Notes that the response to a request is imported, or that there will be none.
    func endRequest() { state.withLock { $0.requestCount -= 1 } }

    /// Appends a commit; the caller is on the writer's queue, so that the order is that of the
    /// transactions.
    ///
    /// - Parameters:
    ///   - commit: The commit.
    ///   - written: What the transaction has found to be written already, and the rows that it has deleted.
    ///   - writer: The request whose response the transaction has saved; `nil` for a save.
    func append(
        _ commit: StoreCommit, _ written: WrittenValues = WrittenValues(),
        by writer: RespondedRequest? = nil
    ) {
        let observers = state.withLock { state in
            state.lastNumber += 1
            let node = Node(commit, written, WriteStamp(writer, at: state.lastNumber))
            state.last.append(node)
            state.last = node
            return Array(state.observers.values)
        }
        // Contexts replace keys even if no row has changed, which concerns nobody else.
        if commit.isEmpty { return }
        for observer in observers { observer.yield(commit) }
    }

    /// Returns the commits from now on.
    ///
    /// For a slow reader, `limit` commits are kept and older ones are dropped; `nil` keeps all.
    package func commits(limit: Int? = nil) -> AsyncStream<StoreCommit> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreCommit.self,
            bufferingPolicy: limit.map { .bufferingNewest($0) } ?? .unbounded)
        let id: Int? = state.withLock { state in
            if state.isFinished { return nil }
            state.observerCount += 1
            state.observers[state.observerCount] = continuation
            return state.observerCount
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Ends all streams, when the store is closed.
    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            let observers = Array(state.observers.values)
            state.observers = [:]
            return observers
        }
        for observer in observers { observer.finish() }
    }

    deinit { finish() }
}
