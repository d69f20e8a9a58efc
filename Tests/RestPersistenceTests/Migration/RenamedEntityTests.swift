// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestPersistence
import Testing

@Entity(renamedFrom: ["Airfield", "Airstrip"]) final class Aerodrome: ManagedObject {
    @Identity var code: String
    @Renamed(from: "title", "label") @Searchable var name: String
    @Renamed(from: "planes") @Inverse(\Aircraft.base) var aircraft: Set<Aircraft>
}

@Entity final class Aircraft: ManagedObject {
    @Identity var id: Int
    var base: Aerodrome?
}

@Suite struct RenamedEntityTests {
    @Test func continuesFormerNames() async throws {
        let files = try TemporaryStore()
        try await files.open([
            EntityDescription(
                "Airstrip",
                attributes: [
                    AttributeDescription("code", .text, isIdentity: true),
                    AttributeDescription("label", .text),
                ], relationships: [.toMany("planes", "Aircraft", inverse: "base")]),
            EntityDescription(
                "Aircraft", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
                relationships: [.toOne("base", "Airstrip")]),
        ]).close()
        try files.execute(
            """
            INSERT INTO Airstrip (restkit_key, code, label) VALUES (1, 'OSL', 'Fornebu');
            INSERT INTO Aircraft (restkit_key, id, base) VALUES (2, 7, 1)
            """)
        let store = try await ManagedObjectStore(
            at: files.file, entities: Aerodrome.self, Aircraft.self,
            configuration: StoreConfiguration(migration: .automatic))
        let found = try await store.perform { context in
            try context.search(Aerodrome.self, .all("forn")).map {
                "\($0.object.code) \($0.object.name) \($0.object.aircraft.map(\.id))"
            }
        }
        #expect(found == ["OSL Fornebu [7]"])
        let names = try await store.perform { context in
            try context.fetch(Aerodrome.self, where: { $0.matches(.any("x fornebu")) }).map(\.name)
        }
        #expect(names == ["Fornebu"])
    }
}
#endif
