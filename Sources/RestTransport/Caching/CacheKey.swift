// SPDX-License-Identifier: Apache-2.0

/// The key of stored responses: the URL and a partition for each user.
public struct CacheKey: Sendable, Hashable {
    /// The URL without its fragment.
    public let url: String

    /// The partition; a response is reused only for requests of the same partition.
    ///
    /// The partition is a digest, in lower-case ASCII, of the request's principal or else of the
    /// credentials in its header fields; it is `nil` for a request with neither.
    public let partition: String?

    // Each request looks its key up several times.
    private let hash: Int

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - url: The URL without its fragment.
    ///   - partition: The partition.
    public init(url: String, partition: String?) {
        self.url = url
        self.partition = partition
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(partition)
        hash = hasher.finalize()
    }

    /// Hashes the URL and the partition.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
