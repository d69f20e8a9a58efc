// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The commits of a store in the order of its transactions.
///
/// The commits are a linked list. A reader keeps the last node that it has read, so that it needs no
/// registration and misses nothing; nodes that no reader keeps are released.
final class CommitFeed: Sendable {
    /// A commit and its successor.
    final class Node: Sendable {
        /// The commit; `nil` in the first node.
        let commit: StoreCommit?
        private let successor = Mutex<Node?>(nil)

        init(_ commit: StoreCommit?) { self.commit = commit }

        var next: Node? { successor.withLock(\.self) }

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
        var observers: [Int: AsyncStream<StoreCommit>.Continuation] = [:]
        var observerCount = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The last node, from which on a new reader reads.
    var last: Node { state.withLock(\.last) }

    /// Appends a commit; the caller is on the writer's queue, so that the order is that of the
    /// transactions.
    func append(_ commit: StoreCommit) {
        let observers = state.withLock { state in
            let node = Node(commit)
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
    func commits(limit: Int? = nil) -> AsyncStream<StoreCommit> {
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
