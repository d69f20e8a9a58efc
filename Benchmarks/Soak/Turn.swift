// SPDX-License-Identifier: Apache-2.0

/// One action of a client, performed once in each round.
///
/// The path of an action begins with its name.
enum Turn: String, CaseIterable {
    /// Responses that are not cacheable.
    case plain, posted, put, missing
    /// Responses that are reused or revalidated.
    case kept, asked
    /// A redirect, and a body without a length.
    case moved, chunks
    /// A connection that closes after its response, or within it.
    case closing, cut
    /// A response that is imported into the store, and one whose import is cancelled.
    case issues, abandoned
    /// A row that is changed in a transaction.
    case saved
}
