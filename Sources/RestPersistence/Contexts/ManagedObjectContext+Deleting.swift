// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Deletes an object, applies the delete rules of its relationships, and removes it from the
    /// relationships of other objects.
    ///
    /// Deleting an object that is already deleted has no effect. A relationship with the rule
    /// ``DeleteRule/deny`` that still has destinations is an error of the next save.
    public func delete(_ object: ManagedObject) {
        precondition(object.context === self, "\(object.objectID) belongs to another context")
        RowDeleter(self).delete([(object.objectID.key, object.layout)])
    }

    /// Deletes the objects with IDs, as ``delete(_:)`` does, without creating them.
    ///
    /// The destinations of all objects to delete are read together.
    package func delete(_ ids: [ManagedObjectID]) {
        RowDeleter(self).delete(ids.map { (database.currentKey(of: $0.key), $0.layout) })
    }
}
