// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// A store of responses in memory, up to a number of bytes.
///
/// The least recently used responses are evicted first. Bodies are shared with their readers, not
/// copied.
public final class InMemoryCacheStorage: CacheStorage {
    /// The maximum size of all bodies, header fields and URLs, in bytes.
    public let byteCount: Int

    private let responses: Mutex<LRUResponseList>

    /// Creates an empty storage.
    ///
    /// - Parameter byteCount: The maximum size in bytes; 32 MiB by default.
    public init(byteCount: Int = 32 << 20) {
        self.byteCount = byteCount
        responses = Mutex(LRUResponseList(limit: byteCount))
    }

    /// The number of stored responses.
    public var count: Int { responses.withLock { $0.count } }

    /// The size of the stored responses, in bytes.
    public var usedByteCount: Int { responses.withLock { $0.byteCount } }

    /// Returns the entries with a key.
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        responses.withLock { $0.entries(for: key) }
    }

    /// Returns the body of an entry.
    public func body(of entry: CacheEntry) async -> [UInt8]? {
        responses.withLock { $0.use(entry) }
    }

    /// Stores a response, unless it is larger than the whole storage.
    public func store(_ entry: CacheEntry, body: [UInt8]) async {
        responses.withLock { $0.store(entry, body: body) }
    }

    /// Replaces an entry and leaves its body unchanged.
    public func update(_ entry: CacheEntry) async {
        responses.withLock { $0.update(entry) }
    }

    /// Removes a response.
    public func remove(_ entry: CacheEntry) async {
        responses.withLock { $0.remove(entry.key, entry.id) }
    }

    /// Removes all responses with a key.
    public func removeEntries(for key: CacheKey) async {
        responses.withLock { $0.removeAll(for: key) }
    }

    /// Removes all responses of a partition.
    ///
    /// - Complexity: O(*n*) in the number of keys.
    public func removeEntries(inPartition partition: String?) async {
        responses.withLock { $0.removeAll(inPartition: partition) }
    }

    /// Removes all responses.
    public func removeAll() async {
        responses.withLock { $0 = LRUResponseList(limit: byteCount) }
    }
}
