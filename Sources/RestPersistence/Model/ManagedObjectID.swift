// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Which object, in which store: crosses contexts, tasks and launches.
///
/// Permanent from the moment an object is inserted: its key is reserved before its row exists.
public struct ManagedObjectID: Sendable, Hashable, CustomStringConvertible {
    /// The object's key, the value of its row's `restkit_key`.
    public let key: Int64
    let layout: EntityLayout
    let store: UUID

    init(key: Int64, layout: EntityLayout, store: UUID) {
        self.key = key
        self.layout = layout
        self.store = store
    }

    /// Name of the object's entity.
    public var entityName: String { layout.name }

    /// `restkit://<store>/<entity>/<key>`, the same after the file has been copied.
    public var uri: URL {
        var components = URLComponents()
        components.scheme = "restkit"
        components.host = store.uuidString.lowercased()
        components.path = "/\(layout.name)/\(key)"
        return components.url ?? URL(filePath: components.path)
    }

    /// Entity and key.
    public var description: String { "\(layout.name)/\(key)" }

    /// Whether two IDs name one object of one store.
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        left.key == right.key && left.store == right.store
            && (left.layout === right.layout
                || left.layout.name.hasSameBytes(as: right.layout.name))
    }

    /// Feeds the key to a hasher: keys are unique in a store.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
