// SPDX-License-Identifier: Apache-2.0

package import RestMapping

/// The objects of a context that were imported from the representations of a document.
package struct ImportedObjectTable: ImportedObjects {
    private let ids: ImportedLocations
    private let objects: [ManagedObjectID: ManagedObject]

    /// Reads the objects by one query for each table.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    package init(
        _ ids: ImportedLocations, in context: ManagedObjectContext
    ) throws(PersistenceError) {
        self.ids = ids
        let found = try context.objects(with: Array(Set(ids.values.compactMap(\.self))))
        objects = Dictionary(uniqueKeysWithValues: found.map { ($0.objectID, $0) })
    }

    /// Returns the object of a representation; an object that no longer exists counts as dropped.
    package func object(at location: RepresentationLocation) -> ImportedObject {
        guard let known = ids[location] else { return .unknown }
        guard let id = known, let object = objects[id], !object.isDeleted else { return .dropped }
        return .object(object)
    }
}
