// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The identifier of a managed object, which is valid across contexts, tasks and launches.
///
/// An ID is permanent from the insertion of the object, because its key is reserved before its row
/// is written. There is one exception: an object that an import into a context has inserted, and that
/// another connection inserts before the context is saved, is merged with the stored one and takes its
/// ID. The contexts of the store object still find it by the former ID.
public struct ManagedObjectID: Sendable, Hashable, CustomStringConvertible {
    /// The primary key of the object's row, in the column `restkit_key`.
    public let key: Int64
    package let layout: EntityLayout
    package let store: UUID

    package init(key: Int64, layout: EntityLayout, store: UUID) {
        self.key = key
        self.layout = layout
        self.store = store
    }

    package func replacing(key: Int64) -> ManagedObjectID {
        ManagedObjectID(key: key, layout: layout, store: store)
    }

    /// The name of the object's entity.
    public var entityName: String { layout.name }

    /// The URI `restkit://<store>/<entity>/<key>`, which stays valid when the file is copied.
    public var uri: URL {
        var components = URLComponents()
        components.scheme = "restkit"
        components.host = store.uuidString.lowercased()
        components.path = "/\(layout.name)/\(key)"
        return components.url ?? URL(filePath: components.path)
    }

    /// The entity name and the key.
    public var description: String { "\(layout.name)/\(key)" }

    /// Returns a Boolean value that indicates whether two IDs identify the same object of the same store.
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        left.key == right.key && left.store == right.store
    }

    /// Hashes the key, which is unique in a store.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
