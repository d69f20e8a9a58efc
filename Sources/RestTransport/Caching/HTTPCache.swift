// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// A private HTTP cache according to RFC 9111.
///
/// ```swift
/// client.cache = HTTPCache()
/// client.principal = Principal("account 7")
/// ```
///
/// The cache serves stored responses while they are fresh, revalidates stale ones with the server,
/// and invalidates responses that unsafe requests may have changed. Pure functions of the request,
/// the stored responses and the time make the decisions; this class carries them out.
///
/// Responses are keyed by URL, by the header fields they vary with, and by principal; without a
/// principal, by the credentials in the request's header. ``TransportResponse/origin`` indicates
/// where a response came from. ``TransportRequest/cachePolicy`` and the request's `Cache-Control`
/// control how a request uses the cache. Concurrent requests for the same stale response share one
/// revalidation.
///
/// - Source: RFC 9111, RFC 5861, RFC 8246.
public final class HTTPCache: Sendable {
    /// The storage of responses.
    public let storage: any CacheStorage

    /// The maximum number of bytes of a stored body.
    ///
    /// Responses with longer bodies are not stored.
    public let entryByteCount: Int

    /// A Boolean value that indicates whether a 504 response replaces the error if the server
    /// cannot be reached to revalidate a stored response that must be revalidated, as in a proxy.
    public let returnsGatewayTimeout: Bool

    let ids = CacheEntryIDs()
    let epochs = CacheEpochs()
    let revalidations = SharedRevalidations()

    private struct Refreshes {
        var last: UInt64 = 0
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    private let refreshes = Mutex(Refreshes())

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - storage: The storage of responses; in memory by default.
    ///   - entryByteCount: The maximum number of bytes of a stored body; 8 MiB by default.
    ///   - returnsGatewayTimeout: Whether a 504 response replaces the error if the server cannot be
    ///     reached to revalidate a stored response; `false` by default, so that ``TransportError``
    ///     gives the reason.
    public init(
        storage: any CacheStorage = InMemoryCacheStorage(), entryByteCount: Int = 8 << 20,
        returnsGatewayTimeout: Bool = false
    ) {
        self.storage = storage
        self.entryByteCount = entryByteCount
        self.returnsGatewayTimeout = returnsGatewayTimeout
    }

    /// Returns the stored response that a request selects, fresh or stale.
    ///
    /// - Parameter request: A request with the header fields, the principal and the credentials
    ///   that it would be sent with.
    /// - Returns: The response without its body, or `nil` if none is stored.
    public func entry(for request: TransportRequest) async -> CacheEntry? {
        var stored = request
        stored.cachePolicy = .standard
        return await storage.entries(for: CacheKey(request))
            .filter {
                SelectingFields.match($0, stored)
                    && ConstructedResponse(from: $0, to: stored) != nil
            }
            .max { $0.responseDate < $1.responseDate }
    }

    /// Marks a response as mapped to objects, in ``CacheEntry/isMapped``.
    ///
    /// Does nothing if the response is not stored or no longer stored.
    ///
    /// - Parameter response: A response whose body has been read.
    public func markMapped(_ response: TransportResponse) async {
        if let stored = response.storedAs { await markMapped(stored) }
    }

    /// Marks a stored response as mapped to objects.
    package func markMapped(_ stored: CacheEntry.Reference) async {
        let entries = await storage.entries(for: stored.key)
        guard var entry = entries.first(where: { $0.id == stored.id }), !entry.isMapped else {
            return
        }
        entry.isMapped = true
        await storage.update(entry)
    }

    /// Removes all responses of a principal, including those that are still arriving.
    ///
    /// Call this method when a user logs out.
    public func removeAll(of principal: Principal) async {
        epochs.advanceAll()
        await storage.removeEntries(inPartition: CachePartition.of(principal))
    }

    /// Removes all responses, including those that are still arriving.
    public func removeAll() async {
        epochs.advanceAll()
        await storage.removeAll()
    }

    /// The number of requests that wait for the revalidation of another request.
    package var waiterCount: Int { revalidations.waiterCount }

    /// Waits for all background revalidations.
    package func waitForBackgroundValidations() async {
        while let task = refreshes.withLock({ $0.tasks.values.first }) {
            await task.value
        }
    }

    /// Removes the responses stored for a URL, in a partition and in the one without
    /// principal.
    func invalidate(_ url: String, partition: String?) async {
        for partition in Set([partition, nil]) {
            let key = CacheKey(url: url, partition: partition)
            epochs.advance(for: key)
            await storage.removeEntries(for: key)
        }
    }

    /// Runs a background revalidation.
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
