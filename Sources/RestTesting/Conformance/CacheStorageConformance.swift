// SPDX-License-Identifier: Apache-2.0

public import RestTransport

/// What every ``RestTransport/CacheStorage`` has to do, as checks.
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
    /// Makes an empty storage.
    public typealias Make = @Sendable () async throws -> any CacheStorage

    private let byteCount: Int
    private let make: Make

    /// Describes a storage to be checked.
    ///
    /// - Parameters:
    ///   - byteCount: The bound of the storages that are made, 1 MiB at least.
    ///   - make: Makes an empty storage, once for each check.
    public init(byteCount: Int, make: @escaping Make) {
        precondition(byteCount >= 1 << 20, "the bound has 1 MiB at least")
        self.byteCount = byteCount
        self.make = make
    }

    /// All checks.
    public var checks: [Check] {
        [
            check("gives back what was stored") { try await $0.keepsWhatWasStored() },
            check("keeps several responses under one key") {
                try await $0.keepsSeveralUnderOneKey()
            },
            check("replaces a response with the same id") { try await $0.replacesTheSameID() },
            check("never answers for another partition or address") {
                try await $0.separatesKeys()
            },
            check("updates what is known and leaves the body") {
                try await $0.updatesWithoutTheBody()
            },
            check("removes one response") { try await $0.removesOne() },
            check("removes a key") { try await $0.removesAKey() },
            check("removes a partition and no other") { try await $0.removesAPartition() },
            check("removes everything and goes on") { try await $0.removesEverything() },
            check("stays within its bound") { try await $0.staysWithinItsBound() },
            check("lets go of the least recently used") {
                try await $0.letsGoOfTheLeastRecentlyUsed()
            },
            check("does not keep what is larger than its bound") {
                try await $0.refusesWhatIsLargerThanItsBound()
            },
            check("shows many tasks whole responses or none") {
                try await $0.isWholeForManyTasks()
            },
        ]
    }

    /// A check makes one promise and tries to break it.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, in words; no two checks have the same.
        public let name: String

        private let byteCount: Int
        private let make: Make
        private let work: @Sendable (CacheStorageRun) async throws -> Void

        init(
            _ name: String, byteCount: Int, make: @escaping Make,
            work: @escaping @Sendable (CacheStorageRun) async throws -> Void
        ) {
            self.name = name
            self.byteCount = byteCount
            self.make = make
            self.work = work
        }

        /// The name.
        public var description: String { name }

        /// Tries to break the promise.
        ///
        /// - Throws: ``ConformanceFailure`` when the promise is broken, and what making the storage
        ///   throws.
        public func run() async throws {
            try await work(CacheStorageRun(storage: try await make(), byteLimit: byteCount))
        }
    }

    private func check(
        _ name: String, _ work: @escaping @Sendable (CacheStorageRun) async throws -> Void
    ) -> Check {
        Check(name, byteCount: byteCount, make: make, work: work)
    }
}
