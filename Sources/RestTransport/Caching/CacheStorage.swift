// SPDX-License-Identifier: Apache-2.0

/// Keeps responses for ``HTTPCache``, which decides what is kept and what is served.
///
/// A storage is bounded: it lets go of what was not used for the longest time. It never fails a
/// request: what cannot be read is not there, what cannot be written is not kept, and it says so in
/// its log.
public protocol CacheStorage: Sendable {
    /// The entries under a key, in no particular order; looking counts as no use.
    ///
    /// - Complexity: Independent of the number of keys.
    func entries(for key: CacheKey) async -> [CacheEntry]

    /// The body of an entry, whole and as stored; reading counts as use.
    ///
    /// - Returns: `nil` when the entry is gone or damaged; then it is not listed any more either.
    func body(of entry: CacheEntry) async -> [UInt8]?

    /// Keeps a response, in place of one with the same key and id.
    func store(_ entry: CacheEntry, body: [UInt8]) async

    /// Replaces what is known of a response whose body stays; nothing when it is gone.
    func update(_ entry: CacheEntry) async

    /// Lets go of a response.
    func remove(_ entry: CacheEntry) async

    /// Lets go of all responses under a key.
    func removeEntries(for key: CacheKey) async

    /// Lets go of all responses of a partition.
    func removeEntries(inPartition partition: String?) async

    /// Lets go of everything.
    func removeAll() async
}
