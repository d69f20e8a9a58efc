// SPDX-License-Identifier: Apache-2.0

/// One thing that a client does, once in each round; where it has a path of its own, that begins with
/// its name.
enum Turn: String, CaseIterable {
    /// Responses that no cache keeps.
    case plain, posted, put, missing
    /// Responses from a cache, or that the server is asked about again.
    case kept, asked
    /// Another address, a body without length.
    case moved, chunks
    /// A connection that ends behind its response, or within it.
    case closing, cut
    /// A response into the store; one that nobody waits for any longer.
    case issues, abandoned
    /// A row that a closure changes.
    case saved
}
