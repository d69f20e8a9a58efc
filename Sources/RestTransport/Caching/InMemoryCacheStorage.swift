// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// Keeps responses in memory, up to a number of bytes.
///
/// What was not used for the longest time goes first. Bodies are shared with those who read them,
/// not copied.
public final class InMemoryCacheStorage: CacheStorage {
    /// Most bytes that are kept, bodies, header fields and addresses together.
    public let byteCount: Int

    private let responses: Mutex<StoredResponseList>

    /// Makes an empty storage.
    ///
    /// - Parameter byteCount: Most bytes that are kept; 32 MiB by default.
    public init(byteCount: Int = 32 << 20) {
        self.byteCount = byteCount
        responses = Mutex(StoredResponseList(limit: byteCount))
    }

    /// How many responses are kept.
    public var count: Int { responses.withLock { $0.count } }

    /// How many bytes are kept.
    public var usedByteCount: Int { responses.withLock { $0.byteCount } }

    /// The entries under a key.
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        responses.withLock { $0.entries(for: key) }
    }

    /// The body of an entry.
    public func body(of entry: CacheEntry) async -> [UInt8]? {
        responses.withLock { $0.use(entry) }
    }

    /// Keeps a response; one that alone is larger than the storage is not kept.
    public func store(_ entry: CacheEntry, body: [UInt8]) async {
        responses.withLock { $0.store(entry, body: body) }
    }

    /// Replaces what is known of a response.
    public func update(_ entry: CacheEntry) async {
        responses.withLock { $0.update(entry) }
    }

    /// Lets go of a response.
    public func remove(_ entry: CacheEntry) async {
        responses.withLock { $0.remove(entry.key, entry.id) }
    }

    /// Lets go of all responses under a key.
    public func removeEntries(for key: CacheKey) async {
        responses.withLock { $0.removeAll(under: key) }
    }

    /// Lets go of all responses of a partition.
    ///
    /// - Complexity: O(*n*) in the number of keys.
    public func removeEntries(inPartition partition: String?) async {
        responses.withLock { $0.removeAll(inPartition: partition) }
    }

    /// Lets go of everything.
    public func removeAll() async {
        responses.withLock { $0 = StoredResponseList(limit: byteCount) }
    }
}
