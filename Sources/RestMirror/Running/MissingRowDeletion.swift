// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDefinition
import RestPersistence
import RestRows

/// The deletion of the rows that lists have lost, and that the server has been proven not to have.
///
/// It runs after all lists have been read, because a row can have moved from one to another. A row stays if
/// another list has it, or may have it, or if a row that stays refers to it.
struct MissingRowDeletion: Sendable {
    let definition: Definition
    let content: StoreContent

    private static let portionCount = 5_000

    /// Deletes the rows.
    ///
    /// - Returns: The number of deleted rows by entity.
    func run() async throws -> [(entity: String, count: Int)] {
        let counts = try await deleteMissing()
        try await forgetPagesOfGone()
        return counts
    }

    private func deleteMissing() async throws -> [(entity: String, count: Int)] {
        var counts: [(entity: String, count: Int)] = []
        // Rows of children refer to those of their parents.
        for resource in try ResourceOrder.levels(of: definition).flatMap(\.self).reversed()
        where resource.deletion == .walk {
            let name = resource.name
            let keys = try await content.read { context in
                try context.rows.read {
                    try MirrorTables(database: $0).provenMissing(of: name)
                }
            }
            var start = 0
            while start < keys.count {
                let portion = Array(keys[start..<min(start + Self.portionCount, keys.count)])
                start += portion.count
                counts += try await delete(portion, of: resource)
            }
        }
        return counts
    }

    private func forgetPagesOfGone() async throws {
        let hasGone = try await content.read { context in
            try context.rows.read { try MirrorTables(database: $0).hasGone }
        }
        guard hasGone else { return }
        try await content.write { context in
            try context.rows.read {
                try MirrorTables(database: $0).removeValidatorsOfGone()
            }
        }
    }

    private func delete(
        _ keys: [Int64], of resource: ResourceDefinition
    ) async throws -> [(entity: String, count: Int)] {
        let names = definition.resources.map(\.name)
        let entities = resource.entity.names
        return try await content.write { context in
            let listed = try context.rows.read { database in
                try Self.listed(among: keys, by: names, of: resource.name, in: database)
            }
            var counts: [(entity: String, count: Int)] = []
            var gone = Array(listed.here)
            let candidates = keys.filter { !listed.here.contains($0) }
            for entity in entities {
                let deleted = try LostRowDeletion(in: context).delete(
                    candidates, of: entity, keeping: listed.elsewhere)
                counts.append((entity, deleted.count))
                gone += deleted
            }
            // No page lists the rows that were deleted, but one can list those that were deleted with them.
            let deleted = context.deletedObjects.map(\.objectID.key)
            try context.save()
            try context.rows.read { database in
                let tables = MirrorTables(database: database)
                try tables.addGone(deleted)
                for name in names { try tables.removeMissing(gone, of: name) }
            }
            return counts
        }
    }

    /// Returns those of some rows that lists have: those of the resource and those of others.
    private static func listed(
        among keys: [Int64], by names: [String], of resource: String, in database: Database
    ) throws -> (here: Set<Int64>, elsewhere: Set<Int64>) {
        let tables = MirrorTables(database: database)
        let candidates = Set(keys)
        var (here, elsewhere) = (Set<Int64>(), Set<Int64>())
        for name in names {
            try tables.forEachPage(of: name) { keys in
                for key in keys where candidates.contains(key) {
                    if name == resource { here.insert(key) } else { elsewhere.insert(key) }
                }
            }
            elsewhere.formUnion(
                try tables.possiblyLost(of: name).filter { candidates.contains($0) })
        }
        return (here, elsewhere)
    }
}
