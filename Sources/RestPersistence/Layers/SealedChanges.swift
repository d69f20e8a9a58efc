// SPDX-License-Identifier: Apache-2.0

/// Changes that an asynchronous save is writing.
struct SealedChanges {
    let changes: ChangeSet
    /// The last commit that the context had taken when it sealed the changes.
    let lastCommit: CommitFeed.Node
    /// A Boolean value that indicates whether the changes are discarded if writing them fails, because the
    /// context has been rolled back.
    var isDiscarded = false
    /// The tasks that wait for the end of the save.
    var waiting: [CheckedContinuation<Void, Never>] = []
}
