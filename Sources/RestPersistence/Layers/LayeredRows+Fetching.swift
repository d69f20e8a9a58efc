// SPDX-License-Identifier: Apache-2.0

extension LayeredRows {
    /// Returns the IDs of the rows of a fetch request.
    func fetchIDs(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObjectID] {
        let plan = try FetchPlan(request, in: database)
        return try read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            var ids: [ManagedObjectID] = []
            while try statement.step() { ids.append(try objectID(statement, plan)) }
            return ids
        }
    }

    /// Returns the ID of a row that begins with its key and its entity.
    func objectID(
        _ statement: borrowing PreparedStatement, _ plan: FetchPlan
    ) throws(PersistenceError) -> ManagedObjectID {
        var layout = plan.layout
        if case .text(let name) = statement.value(1) { layout = try model.layout(named: name) }
        return ManagedObjectID(
            key: statement.integer(0), layout: layout, store: database.identity)
    }
}
