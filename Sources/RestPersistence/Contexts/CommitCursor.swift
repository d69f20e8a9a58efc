// SPDX-License-Identifier: Apache-2.0

/// The place of a context in the commits of its store.
struct CommitCursor {
    /// The identity of the context in commits.
    let writer = ContextToken()
    /// The last commit that the context has taken.
    var last: CommitFeed.Node
    /// The number of times that stored values may have changed.
    var version = 0

    init(_ last: CommitFeed.Node) { self.last = last }
}
