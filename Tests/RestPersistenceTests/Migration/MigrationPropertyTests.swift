// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Random models and changes of them: migrated rows equal rows that are written into a new file.
@Suite struct MigrationPropertyTests {
    /// 25 models, or `RESTKIT_MIGRATIONS`.
    static var count: Int { TestEnvironment.number("RESTKIT_MIGRATIONS") ?? 25 }

    @Test func migratedRowsEqualFreshRows() async throws {
        for seed in 0..<Self.count {
            var generator = MigrationGenerator(SeededGenerator(state: UInt64(seed)))
            let old = generator.schema()
            let graph = generator.graph(of: old)
            let new = generator.changed(old)

            let migrated = try TemporaryStore()
            let source = try await migrated.open(old.descriptions)
            try await graph.write(old, into: source)
            #expect(try await graph.read(old, from: source) == graph.expected(old), "seed \(seed)")
            try source.close()
            let store = try await ManagedObjectStore(
                at: migrated.file, model: ManagedObjectModel(new.descriptions),
                configuration: StoreConfiguration(
                    migration: .automatic(generator.discarded.map { .discard($0) })))
            let values = try await graph.read(new, from: store)

            let fresh = try TemporaryStore()
            let other = try await fresh.open(new.descriptions)
            try await graph.write(new, into: other)
            let expected = try await graph.read(new, from: other)
            #expect(values == expected, "seed \(seed)")
            #expect(expected == graph.expected(new), "seed \(seed)")
            #expect(try await store.checkIntegrity() == [], "seed \(seed)")
            try store.close()
            try other.close()
        }
    }
}
