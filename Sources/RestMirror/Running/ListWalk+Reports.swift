// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The reports about the records of pages.
extension ListWalk {
    /// Treats keys that the definition does not describe as its schema says.
    ///
    /// - Returns: The values that are kept apart.
    func unknownValues(of records: [Node]) throws -> [QuarantinedValue] {
        guard let keys = plan.keys else { return [] }
        if keys.mode == .quarantine {
            return keys.unknownValues(
                in: records, RecordIdentity(of: plan.resource, plan.writer.definition))
        }
        let unknown = keys.unknown(in: records)
        if unknown.keys.isEmpty { return [] }
        let names = unknown.keys.sorted().prefix(5).joined(separator: ", ")
        switch keys.mode {
        case .evolve, .quarantine:
            plan.evolution.add(unknown.records, of: keys.entity)
            return []
        case .freeze:
            throw MirrorError(
                .recordsRefused, resource: plan.name,
                details: ["records have the unknown keys \(names), and the schema is frozen"])
        }
    }

    /// Reports records of a page of which the file has one row.
    func warn(aboutRowsOf keys: [Int64], ofPage number: Int) {
        let count = keys.count - Set(keys).count
        if count == 0 { return }
        plan.warn(
            .repeatedIdentity,
            "\(count) records of page \(number) have the identity of another record of the page, so that they have "
                + "one row; check the `identity` of the entity")
    }

    /// Checks that pages have rows that the pass has not read before.
    func checkProgress() throws(MirrorError) {
        guard progress.hasEnded else { return }
        throw MirrorError(
            .listDoesNotEnd, resource: plan.name,
            details: [
                "\(ListProgress.maximumRepeatedCount) pages in a row have only records of pages before, or "
                    + "\(ListProgress.maximumEmptyCount) have none: the server may ignore the position, so declare "
                    + "another pagination"
            ])
    }

    /// Reports lists inside of records that the server has shortened.
    func warn(about lists: [EmbeddedLists.Short]) {
        for short in lists {
            let total = short.total.map { "\($0)" } ?? "more"
            plan.warn(
                .shortEmbeddedList, isIncomplete: short.isRelation,
                "\(short.path) of a record has \(short.count) of \(total) elements; read it by a resource with "
                    + "`for_each`, or write it under `ignore`")
        }
    }
}
