// SPDX-License-Identifier: Apache-2.0

extension FetchPlan {
    /// Compiles a request.
    ///
    /// The expressions are the values of a projection or of an aggregate.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownProperty` or
    ///   `invalidPredicate`.
    package init(
        _ request: FetchRequest, reading expressions: [FetchExpression] = [],
        in database: StoreDatabase
    ) throws(PersistenceError) {
        try self.init(request, reading: expressions, in: database.model, keys: database)
    }
}

extension StoreDatabase: StoredKeys {}
