// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestPersistence
public import RestTransport

/// What a response became in a store.
public struct ManagedResult: Sendable {
    /// The objects of the response's elements, in document order; one that occurs twice is here
    /// twice.
    public let objectIDs: [ManagedObjectID]

    /// Rows the transaction wrote, related ones included.
    public let changes: SaveReport

    /// What was met while mapping.
    public let report: MappingReport

    /// The URL that answered.
    public let url: HTTPURL
}
