// SPDX-License-Identifier: Apache-2.0

/// What stored responses are found by: the address, and whose they are.
public struct CacheKey: Sendable, Hashable {
    /// The address without its fragment.
    public let url: String

    /// Whose responses these are; responses of one partition never answer another.
    ///
    /// `nil` for requests without principal and without credentials.
    public let partition: String?

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - url: The address without its fragment.
    ///   - partition: Whose responses these are.
    public init(url: String, partition: String?) {
        self.url = url
        self.partition = partition
    }
}
