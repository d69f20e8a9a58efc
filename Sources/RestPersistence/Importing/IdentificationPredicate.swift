// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The conditions on the existing objects that an import finds by identity.
struct IdentificationPredicate {
    let node: Node
    /// The condition for all representations.
    let predicate: FetchPredicate?
    /// The function that returns a condition for one representation.
    let condition: (@Sendable (Node) -> FetchPredicate?)?

    /// Creates the conditions of an entity; `nil` if its rules have none.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - node: A value of the document that contains the representations.
    init?(_ rules: CompiledRules, of node: Node) {
        guard rules.identificationPredicate != nil || rules.identificationCondition != nil else {
            return nil
        }
        self.node = node
        predicate = rules.identificationPredicate
        condition = rules.identificationCondition
    }

    /// Returns the condition on the stored object that a row may be found as later; `nil` for any.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - batch: The rows.
    ///   - shared: The condition for all representations.
    /// - Returns: The condition for all, with that for the representation of the row.
    func storedCondition(
        of row: Int, in batch: EntityBatch, shared: StoredPredicate?
    ) -> StoredPredicate? {
        guard let own = condition?(element(row, of: batch)), let shared else { return shared }
        return shared.and(own)
    }

    private func element(_ row: Int, of batch: EntityBatch) -> Node {
        Node(storage: node.storage, index: batch.nodes[row])
    }

    /// Returns the keys of the objects that rows may be found as; a row without an entry may be any.
    ///
    /// - Complexity: One query, or one for each row with a condition of its own.
    func allowedKeys(
        _ rows: [Int], of batch: EntityBatch, in layered: LayeredRows
    ) throws(PersistenceError) -> [Int: Set<Int64>] {
        let layout = batch.layout
        func keys(_ predicate: FetchPredicate) throws(PersistenceError) -> Set<Int64> {
            Set(try layered.fetchIDs(FetchRequest(layout.name, where: predicate)).map(\.key))
        }
        let shared = try predicate.map(keys)
        var allowed: [Int: Set<Int64>] = [:]
        for row in rows {
            guard let own = condition?(element(row, of: batch)) else {
                allowed[row] = shared
                continue
            }
            var combined = predicate.map { $0 && own } ?? own
            for column in batch.identity {
                let path = FetchPath(layout.columns[column].name)
                combined =
                    combined
                    && FetchPredicate(term: .isIn(.attribute(path), [batch.value(row, column)]))
            }
            allowed[row] = try keys(combined)
        }
        return allowed
    }
}
