// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestPersistence
public import RestTransport

/// The result of importing a response into a store.
public struct ManagedResult: Sendable {
    /// The IDs of the imported objects in document order.
    ///
    /// An object that occurs twice in the response has two entries.
    public let objectIDs: [ManagedObjectID]

    /// The rows that the transaction wrote, including those of related objects and join tables.
    public let changes: SaveReport

    /// The mapping report.
    public let report: MappingReport

    /// The URL of the response.
    public let url: HTTPURL
}
