// SPDX-License-Identifier: Apache-2.0

public import RestTransport

/// The conformance kit of ``/RestTransport/CacheStorage``.
///
/// ```swift
/// @Suite struct MyStorageTests {
///     static let conformance = CacheStorageConformance(byteCount: 1 << 20) {
///         MyStorage(byteCount: 1 << 20)
///     }
///
///     @Test(arguments: conformance.checks)
///     func conforms(check: CacheStorageConformance.Check) async throws {
///         try await check.run()
///     }
/// }
/// ```
public struct CacheStorageConformance: Sendable {
    /// A function that returns an empty storage.
    public typealias Make = @Sendable () async throws -> any CacheStorage

    private let byteCount: Int
    private let make: Make

    /// Creates the checks of a storage.
    ///
    /// - Parameters:
    ///   - byteCount: The capacity of the storages, at least 1 MiB.
    ///   - make: A function that returns an empty storage, called once for each check.
    public init(byteCount: Int, make: @escaping Make) {
        precondition(byteCount >= 1 << 20, "the capacity is at least 1 MiB")
        self.byteCount = byteCount
        self.make = make
    }

    /// All checks.
    public var checks: [Check] {
        [
            check("returns stored responses") { try await $0.returnsStoredResponses() },
            check("keeps several responses for one key") {
                try await $0.keepsSeveralForOneKey()
            },
            check("replaces a response with the same id") { try await $0.replacesSameID() },
            check("separates partitions and URLs") {
                try await $0.separatesKeys()
            },
            check("updates an entry and keeps its body") {
                try await $0.updatesWithoutBody()
            },
            check("removes one response") { try await $0.removesOne() },
            check("removes all responses of a key") { try await $0.removesKey() },
            check("removes one partition") { try await $0.removesPartition() },
            check("removes everything and stays usable") { try await $0.removesEverything() },
            check("stays within its capacity") { try await $0.staysWithinCapacity() },
            check("evicts the least recently used response") {
                try await $0.evictsLeastRecentlyUsed()
            },
            check("rejects a response beyond its capacity") {
                try await $0.rejectsBeyondCapacity()
            },
            check("returns consistent responses to concurrent tasks") {
                try await $0.isConsistentForConcurrentTasks()
            },
        ]
    }

    /// A check of one required behavior.
    public struct Check: Sendable, CustomStringConvertible {
        /// The behavior in words, unique among all checks.
        public let name: String

        private let byteCount: Int
        private let make: Make
        private let work: @Sendable (CacheStorageHarness) async throws -> Void

        init(
            _ name: String, byteCount: Int, make: @escaping Make,
            work: @escaping @Sendable (CacheStorageHarness) async throws -> Void
        ) {
            self.name = name
            self.byteCount = byteCount
            self.make = make
            self.work = work
        }

        /// The name.
        public var description: String { name }

        /// Runs the check.
        ///
        /// - Throws: ``ConformanceFailure`` if the storage does not behave as required, and any error
        ///   thrown while the storage is created.
        public func run() async throws {
            try await work(CacheStorageHarness(storage: try await make(), capacity: byteCount))
        }
    }

    private func check(
        _ name: String, _ work: @escaping @Sendable (CacheStorageHarness) async throws -> Void
    ) -> Check {
        Check(name, byteCount: byteCount, make: make, work: work)
    }
}
