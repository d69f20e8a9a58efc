// SPDX-License-Identifier: Apache-2.0

/// A store of responses for ``HTTPCache``, which decides which responses to store and to reuse.
///
/// A storage is bounded: it evicts the least recently used responses. It never fails a request: a
/// response that cannot be read counts as missing, a response that cannot be written is not stored,
/// and the storage logs both.
public protocol CacheStorage: Sendable {
    /// Returns the entries with a key, in no particular order.
    ///
    /// This does not count as use of an entry.
    ///
    /// - Complexity: Independent of the number of keys.
    func entries(for key: CacheKey) async -> [CacheEntry]

    /// Returns the complete body of an entry, as stored.
    ///
    /// This counts as use of the entry.
    ///
    /// - Returns: The body, or `nil` if the entry is missing or corrupt. ``entries(for:)`` no
    ///   longer returns such an entry.
    func body(of entry: CacheEntry) async -> [UInt8]?

    /// Stores a response, replacing one with the same key and id.
    func store(_ entry: CacheEntry, body: [UInt8]) async

    /// Replaces an entry and leaves its body unchanged; does nothing if the entry is missing.
    func update(_ entry: CacheEntry) async

    /// Removes a response.
    func remove(_ entry: CacheEntry) async

    /// Removes all responses with a key.
    func removeEntries(for key: CacheKey) async

    /// Removes all responses of a partition.
    func removeEntries(inPartition partition: String?) async

    /// Removes all responses.
    func removeAll() async
}
