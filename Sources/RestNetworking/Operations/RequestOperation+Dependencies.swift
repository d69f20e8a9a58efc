// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The lock of dependencies, under which cycles are searched and dependencies are added.
private let dependencyLock = Mutex(())

extension RequestOperation {
    /// The operations that must finish before this one starts, without those that are finished.
    public var dependencies: [RequestOperation] {
        record.withLock { Array($0.dependencies.values) }
    }

    /// Adds an operation that must finish before this one starts, whatever its outcome.
    ///
    /// - Parameter other: An operation of any queue. If it is finished, nothing changes. If it is
    ///   never enqueued, this operation never starts.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if this
    ///   operation has started, or if the other one waits for this one.
    /// - Complexity: O(*n*) in the number of operations that the other one waits for.
    public func addDependency(_ other: RequestOperation) throws(NetworkingError) {
        let refusal = dependencyLock.withLock { _ -> String? in
            if other.waits(for: self) { return "the dependency would form a cycle" }
            if other.state.isFinished { return nil }
            let isAdded = record.withLock { $0.addDependency(other) }
            return isAdded ? nil : "the operation has started"
        }
        if let refusal { throw error(.invalidRequest, stage: .assembly, cause: refusal) }
        updateQueue()
        // Weak, because the other operation must not keep this one alive.
        other.whenFinished { [weak self] other in self?.removeDependency(other) }
    }

    private func removeDependency(_ other: RequestOperation) {
        record.withLock { $0.removeDependency(other) }
        updateQueue()
    }

    private func updateQueue() {
        if let membership = record.withLock(\.membership) {
            membership.queue.update(self, membership.ticket)
        }
    }

    /// Returns a Boolean value that indicates whether this operation is another one, or waits for it.
    private func waits(for other: RequestOperation) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        var open = [self]
        while let operation = open.popLast() {
            if operation === other { return true }
            guard visited.insert(ObjectIdentifier(operation)).inserted else { continue }
            open += operation.dependencies
        }
        return false
    }
}
