// SPDX-License-Identifier: Apache-2.0

/// What stored responses are found by: the address, and whose they are.
public struct CacheKey: Sendable, Hashable {
    /// The address without its fragment.
    public let url: String

    /// Whose responses these are; responses of one partition never answer another.
    ///
    /// A digest of the request's principal, else of the credentials in its header; `nil` for requests
    /// without either. It is lower-case ASCII.
    public let partition: String?

    // A key is looked up several times for each request.
    private let hash: Int

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - url: The address without its fragment.
    ///   - partition: Whose responses these are.
    public init(url: String, partition: String?) {
        self.url = url
        self.partition = partition
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(partition)
        hash = hasher.finalize()
    }

    /// Hashes what tells keys apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
