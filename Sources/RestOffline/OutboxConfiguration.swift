// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestTransport

/// The configuration of an outbox.
public struct OutboxConfiguration: Sendable {
    /// The longest time after which a server may still execute a request whose answer was lost; 5 minutes by
    /// default.
    ///
    /// The next request of the object waits until then, unless a key or a precondition protects it.
    public var longestRequestLife: Duration = .seconds(300)

    /// The longest time after which all replicas of the server have a write that it has acknowledged; zero, the
    /// default, for a server that reads what it has written.
    ///
    /// A response to a request that was sent within this time after a write of the outbox was acknowledged may come
    /// from a replica that does not have the write yet. It changes no property that the write has sent, neither
    /// removes a row that the write has created nor inserts one that it has deleted, and the outbox does not read
    /// the object before. ``Sends/monotonicVersion()`` recognizes older images without a time.
    public var replicaLag: Duration = .zero

    /// The number of conflicts with the version of the server after which an entry waits for the user; 5 by
    /// default.
    public var conflictLimit = 5

    /// The maximum number of requests at the same time; 4 by default.
    public var concurrentRequestCount = 4

    /// The time for which a sender owns the file without renewing the lease; 30 seconds by default.
    ///
    /// After the end of a process that did not close its outbox, another one sends once the lease has ended.
    public var leaseDuration: Duration = .seconds(30)

    /// The upper bound of the first delay after a failure, which later ones double; 1 second by default.
    public var baseDelay: Duration = .seconds(1)

    /// The maximum delay after a failure; 5 minutes by default.
    public var maximumDelay: Duration = .seconds(300)

    /// The policy for properties that the server has changed as well, unless ``Sends/merging(_:)`` declares
    /// another; ``ConflictPolicy/local`` by default, which keeps the edit.
    ///
    /// The policy ``ConflictPolicy/fork`` does not apply to entities whose identity a program chooses.
    public var conflictPolicy = ConflictPolicy.local

    /// The number of merges that are kept, so that ``Outbox/undo(_:taking:)`` can restore what was edited; 100 by
    /// default.
    public var keptMergeCount = 100

    /// The endpoint by which the entries of one save are sent as one request; `nil`, the default, for a request for
    /// each.
    public var batch: OutboxBatch?

    /// A Boolean value that indicates whether the outbox sends nothing before ``Outbox/resume()``; `false` by
    /// default.
    public var startsPaused = false

    /// The random numbers of delays, for tests; `nil` for those of the system.
    package var randomNumber: (@Sendable () -> UInt64)?

    /// Creates the default configuration.
    public init() {}

    var timing: OutboxTiming {
        var timing = OutboxTiming(longestLife: longestRequestLife, conflictLimit: conflictLimit)
        timing.replicaLag = max(.zero, replicaLag)
        timing.delays.baseDelay = baseDelay
        timing.delays.maximumDelay = maximumDelay
        return timing
    }
}

/// The random numbers of an outbox.
struct OutboxRandom: RandomNumberGenerator, Sendable {
    let number: (@Sendable () -> UInt64)?

    mutating func next() -> UInt64 {
        if let number { return number() }
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
}
