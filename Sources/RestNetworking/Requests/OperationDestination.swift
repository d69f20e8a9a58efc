// SPDX-License-Identifier: Apache-2.0

/// The destination of the objects of an operation.
///
/// Kinds of operations are registered for one destination.
public enum OperationDestination: Sendable, Hashable, CaseIterable {
    /// Objects in memory.
    case objects
    /// Managed objects in a store.
    case store
}
