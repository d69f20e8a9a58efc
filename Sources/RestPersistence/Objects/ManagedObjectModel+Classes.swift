// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
    /// Creates a model from the entities of classes.
    public init(
        _ types: [any ManagedEntity.Type], search: SearchConfiguration = SearchConfiguration()
    ) throws(PersistenceError) {
        try self.init(types.map { $0.entity }, search: search)
    }
}
