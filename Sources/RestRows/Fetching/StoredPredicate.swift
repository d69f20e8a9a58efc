// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB

/// A predicate on stored rows, whose identity is that of the rules in one import or request.
package final class StoredPredicate: StoredRowCondition {
    private let layout: EntityLayout
    private let predicate: FetchPredicate
    private let model: ManagedObjectModel
    private let store: UUID

    package init(
        _ predicate: FetchPredicate, on layout: EntityLayout, in model: ManagedObjectModel,
        store: UUID
    ) {
        self.predicate = predicate
        self.layout = layout
        self.model = model
        self.store = store
    }

    /// Returns this predicate and another one.
    package func and(_ other: FetchPredicate) -> StoredPredicate {
        StoredPredicate(predicate && other, on: layout, in: model, store: store)
    }

    package func keys(
        meeting keys: [Int64], in database: Database
    ) throws(PersistenceError) -> Set<Int64> {
        let ids = keys.map { ManagedObjectID(key: $0, layout: layout, store: store) }
        let request = FetchRequest(layout.name, where: predicate && .ids(ids))
        var compiler = FetchCompiler(
            try FetchPlan(request, reading: [], in: model, keys: KeysOfStore(store: store)))
        let statement = try compiler.projection().prepare(in: database)
        var found: Set<Int64> = []
        while try statement.step() { found.insert(statement.integer(0)) }
        return found
    }
}

private struct KeysOfStore: StoredKeys {
    let store: UUID

    func key(of id: ManagedObjectID) -> Int64? { id.store == store ? id.key : nil }
}
