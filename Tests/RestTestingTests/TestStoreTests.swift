// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import RestTesting
import TestSupport
import Testing

@Suite struct TestStoreTests {
    private static let entities = [
        EntityDescription(
            "Human",
            attributes: [
                AttributeDescription("name", .text, isOptional: true),
                AttributeDescription("age", .integer, isOptional: true),
            ])
    ]

    /// Returns the names of the files beside the database of a store.
    private func files(of store: ManagedObjectStore) -> Set<String> {
        let directory = store.url.deletingLastPathComponent().path(percentEncoded: false)
        return Set((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
    }

    @Test(.parity("K116")) func tearDownRemovesAllFiles() async throws {
        let test = try await TestStore(for: ManagedObjectModel(Self.entities))
        try await test.store.perform { context in
            try context.insertObject("Human", ["name": "Blake"])
            try context.save()
        }
        let name = test.store.url.lastPathComponent
        #expect(files(of: test.store).isSuperset(of: [name, name + "-wal", name + "-shm"]))
        try test.tearDown()
        #expect(files(of: test.store).isEmpty)
        let error = await #expect(throws: PersistenceError.self) {
            try await test.store.perform { try $0.count(FetchRequest("Human")) }
        }
        #expect(error?.code == .storeClosed)
    }

    @Test(.parity("K116")) @MainActor func insertsObjectIntoMainContext() async throws {
        let test = try await TestStore(for: ManagedObjectModel(Self.entities))
        let human = try test.insert("Human", ["name": "Blake", "age": 28])
        #expect(human.managedObjectContext === test.store.mainContext)
        #expect(try human.value("name", as: String?.self) == "Blake")
        #expect(try human.value("age", as: Int?.self) == 28)
        let id = human.objectID
        try await test.store.mainContext.save()
        // The ID was permanent before the object was saved.
        #expect(human.objectID == id)
        let name = try await test.store.perform { context in
            try context.object(with: id).value("name", as: String?.self)
        }
        #expect(name == "Blake")
        try test.tearDown()
    }

    @Test func insertsIntoStoreOfItsOwn() async throws {
        let model = try ManagedObjectModel(Self.entities)
        let first = try await TestStore(for: model)
        let second = try await TestStore(for: model)
        try await first.store.perform { context in
            try context.insertObject("Human")
            try context.save()
        }
        let counts = try await [first, second].counts()
        #expect(counts == [1, 0])
    }

    /// The objects of a test are named, shared within a factory, and replaced when it is reset.
    @Test(.parity("K116")) func factorySharesNamedObjects() async throws {
        let factory = ObjectFactory()
        let model = try ManagedObjectModel(Self.entities)
        let store = try await TestStore(for: model)
        factory.define(URL.self, named: "base") {
            try #require(URL(string: "http://localhost:4567"))
        }
        factory.define(TestStore.self, named: "store") { store }
        factory.define(JSONDecoder.self, named: "client") { JSONDecoder() }
        #expect(
            try factory.make(URL.self, named: "base").absoluteString == "http://localhost:4567")
        #expect(try factory.shared(TestStore.self, named: "store").store === store.store)
        let client = try factory.shared(JSONDecoder.self, named: "client")
        #expect(try factory.shared(JSONDecoder.self, named: "client") === client)
        factory.reset()
        #expect(try factory.shared(JSONDecoder.self, named: "client") !== client)
        #expect(throws: ObjectFactoryError.self) { try factory.make(URL.self, named: "other") }
    }
}

extension [TestStore] {
    /// Returns the number of saved humans of each store.
    fileprivate func counts() async throws -> [Int] {
        var counts: [Int] = []
        for test in self {
            counts.append(try await test.store.perform { try $0.count(FetchRequest("Human")) })
        }
        return counts
    }
}
