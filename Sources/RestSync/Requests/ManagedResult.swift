// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestPersistence
public import RestTransport

/// The result of importing a response into a store or a context.
public struct ManagedResult: Sendable {
    /// The IDs of the imported objects in document order, without those that were deleted.
    ///
    /// An object that occurs twice in the response has two entries. If the response was not modified,
    /// the objects are those of the fetch requests for its URL, each once.
    public internal(set) var objectIDs: [ManagedObjectID] = []

    /// The IDs of the objects that were deleted because fetch requests found them and the response
    /// does not contain them.
    public internal(set) var orphanIDs: [ManagedObjectID] = []

    /// The number of orphans that were not deleted, because they exceeded
    /// ``ManagedRequestOptions/maximumOrphanShare``.
    public internal(set) var keptOrphanCount = 0

    /// The rows that the transaction wrote, including those of related objects and join tables; the
    /// changes of the context, if they were not saved to the store.
    public internal(set) var changes = SaveReport()

    /// The mapping report.
    public internal(set) var report = MappingReport()

    /// A Boolean value that indicates whether the server answered that the objects have not been
    /// modified, so that nothing was mapped or changed.
    public internal(set) var isNotModified = false

    /// The URL of the response.
    public let url: HTTPURL

    init(url: HTTPURL) {
        self.url = url
    }
}
