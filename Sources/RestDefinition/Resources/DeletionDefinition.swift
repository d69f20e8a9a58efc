// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The rule for removing rows that the server does not have any more.
public enum DeletionDefinition: Sendable, Equatable {
    /// Rows are never removed.
    case none
    /// A row is removed if a complete walk of the list, which is proven to be complete, did not return it.
    case walk
    /// A row is removed if its record satisfies a condition, such as `deleted_at` exists.
    case tombstone(Condition)
    /// A row is removed if another resource lists its identity.
    case list(resource: String, identity: DocumentPath)
}
