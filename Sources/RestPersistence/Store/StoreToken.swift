// SPDX-License-Identifier: Apache-2.0

/// The identity of an open store, which a reset or another store for the same file does not share.
package struct StoreToken: Sendable, Hashable {
    // Kept alive, so that the identity is not used again.
    private let worker: StoreWorker

    fileprivate init(_ database: StoreDatabase) {
        worker = database.worker
    }

    /// Returns a Boolean value that indicates whether two tokens are of the same open store.
    package static func == (left: StoreToken, right: StoreToken) -> Bool {
        left.worker === right.worker
    }

    /// Hashes the identity of the store.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(worker)) }
}

extension StoreContent {
    /// The identity of the content.
    package var token: StoreToken { StoreToken(database) }
}

extension ManagedObjectContext {
    /// The identity of the context's store.
    package var storeToken: StoreToken { StoreToken(database) }
}
