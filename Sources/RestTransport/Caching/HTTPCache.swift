// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// A private HTTP cache, as RFC 9111 describes it.
///
/// ```swift
/// client.cache = HTTPCache()
/// client.principal = Principal("account 7")
/// ```
///
/// It answers requests from stored responses while they are fresh, asks the server whether they
/// still hold when they are not, and forgets what unsafe requests have changed. What is decided is
/// decided by pure functions of the request, the stored responses and the time; this carries it out.
///
/// Responses are kept apart by address, by what they vary with, and by principal; without a
/// principal, by the credentials in the request's header. ``TransportResponse/origin`` tells where
/// a response came from, ``TransportRequest/cachePolicy`` and the request's `Cache-Control` what a
/// request wants of the cache. Requests that find the same stale response ask the server once.
///
/// - Source: RFC 9111, RFC 5861, RFC 8246.
public final class HTTPCache: Sendable {
    /// Where responses are kept.
    public let storage: any CacheStorage

    /// Most bytes of a body that is kept; longer ones only pass through.
    public let entryByteCount: Int

    /// Whether a 504 stands for the error when the server cannot be asked about a stored response
    /// that must not be served without; as a proxy does it.
    public let answersUnreachable: Bool

    let ids = CacheEntryIDs()
    let epochs = CacheEpochs()
    let revalidations = SharedRevalidations()

    private struct Refreshes {
        var last: UInt64 = 0
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    private let refreshes = Mutex(Refreshes())

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - storage: Where responses are kept; in memory by default.
    ///   - entryByteCount: Most bytes of a body that is kept; 8 MiB by default.
    ///   - answersUnreachable: Whether a 504 stands for the error when the server cannot be asked
    ///     about a stored response; not by default, so that ``TransportError`` says what happened.
    public init(
        storage: any CacheStorage = InMemoryCacheStorage(), entryByteCount: Int = 8 << 20,
        answersUnreachable: Bool = false
    ) {
        self.storage = storage
        self.entryByteCount = entryByteCount
        self.answersUnreachable = answersUnreachable
    }

    /// The stored response that a request selects, fresh or not.
    ///
    /// - Parameter request: A request with the header fields, the principal and the credentials that
    ///   it would be sent with.
    /// - Returns: The response without its body, `nil` when there is none.
    public func entry(for request: TransportRequest) async -> CacheEntry? {
        var stored = request
        stored.cachePolicy = .standard
        return await storage.entries(for: CacheKey(request))
            .filter { Variation.selects($0, stored) && StoredAnswer.of($0, to: stored) != nil }
            .max { $0.responseDate < $1.responseDate }
    }

    /// Notes that objects were made of a response, in ``CacheEntry/isMapped``.
    ///
    /// Nothing happens when the response is not stored, or not any more.
    ///
    /// - Parameter response: A response whose body has been read.
    public func markMapped(_ response: TransportResponse) async {
        if let stored = response.storedAs { await markMapped(stored) }
    }

    /// Notes that objects were made of a stored response.
    package func markMapped(_ stored: CacheEntry.Reference) async {
        let entries = await storage.entries(for: stored.key)
        guard var entry = entries.first(where: { $0.id == stored.id }), !entry.isMapped else {
            return
        }
        entry.isMapped = true
        await storage.update(entry)
    }

    /// Forgets all responses of a principal, as when a user logs out; also those that are still
    /// arriving.
    public func removeAll(of principal: Principal) async {
        epochs.advanceAll()
        await storage.removeEntries(inPartition: CachePartition.of(principal))
    }

    /// Forgets all responses; also those that are still arriving.
    public func removeAll() async {
        epochs.advanceAll()
        await storage.removeAll()
    }

    /// How many requests wait for what another one asks.
    package var waiterCount: Int { revalidations.waiterCount }

    /// Waits for the revalidations that go on after their requests were answered.
    package func waitForRefreshes() async {
        while let task = refreshes.withLock({ $0.tasks.values.first }) {
            await task.value
        }
    }

    /// Forgets what is stored under an address for somebody and for nobody in particular.
    func invalidate(_ address: String, partition: String?) async {
        for partition in Set([partition, nil]) {
            let key = CacheKey(url: address, partition: partition)
            epochs.advance(for: key)
            await storage.removeEntries(for: key)
        }
    }

    /// Runs a revalidation that nobody waits for.
    func refresh(_ body: @escaping @Sendable () async -> Void) {
        refreshes.withLock { refreshes in
            refreshes.last += 1
            let id = refreshes.last
            refreshes.tasks[id] = Task {
                await body()
                self.refreshes.withLock { _ = $0.tasks.removeValue(forKey: id) }
            }
        }
    }
}
