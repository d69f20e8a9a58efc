// SPDX-License-Identifier: Apache-2.0

/// Rows that were read together, whose values and relationships are therefore read together again.
final class FaultBatch {
    /// A relationship that the objects of a batch share.
    struct Relation: Hashable {
        enum Storage: Hashable {
            case column(Int)
            case inverseColumn(Int, table: Int)
            case link(Int, isForward: Bool)
        }

        let storage: Storage

        init(_ relationship: RelationshipLayout, in model: ManagedObjectModel) {
            storage =
                switch relationship.storage {
                case .column(let column): .column(column)
                case .inverseColumn(let column, _):
                    .inverseColumn(
                        column, table: model.layouts[relationship.destination].table.index)
                case .link(let link, let isForward): .link(link, isForward: isForward)
                }
        }
    }

    /// The stored destinations of a relationship, for all rows of the batch.
    struct Destinations {
        /// The version of the store for which they were read.
        let version: Int
        let members: [Int64: [RelationshipReader.Member]]
        /// The rows of destinations that had no object.
        let rows: [Int64: [StoredValue]]
        let batch: FaultBatch
    }

    /// The maximum number of rows in a batch.
    static let size = 256

    private(set) var keys: [Int64]
    var destinations: [Relation: Destinations] = [:]

    init(_ keys: [Int64]) { self.keys = keys }

    /// Adds a row, up to ``size`` rows.
    ///
    /// - Returns: `false` if the batch is full.
    func append(_ key: Int64) -> Bool {
        if keys.count >= Self.size { return false }
        keys.append(key)
        return true
    }
}
