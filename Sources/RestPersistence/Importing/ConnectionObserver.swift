// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// An observer of an import that also receives its connections.
///
/// It is the observer of the import's `MappingEnvironment`.
public protocol ConnectionObserver: MappingObserver {
    /// Receives the destinations that a connection found for an object, in the isolation of the
    /// object's context.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - object: The imported object, whose relationship has been set.
    ///   - destinations: The destinations; empty if the object is not connected.
    func observe(
        _ connection: Connection, of object: ManagedObject, destinations: [ManagedObject])
}
