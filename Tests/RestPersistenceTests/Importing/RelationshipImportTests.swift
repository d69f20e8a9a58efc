// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Nested representations of relationships between objects without classes.
@Suite struct RelationshipImportTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func named(
        _ entity: String, in store: ManagedObjectStore,
        _ relationships: KeyValuePairs<String, ObjectMapping> = [:]
    ) throws -> ObjectMapping {
        var mapping = try store.mapping(entity)
        mapping.add("name", from: "name")
        for (name, other) in relationships {
            mapping.add(RelationshipMapping(SourcePath([.key(name)]), to: name, mapping: other))
        }
        return mapping
    }

    @Test(.parity("P085")) func mappingKnowsDefaultOfEntity() async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.assignsDefaultForMissing = true
        cat.add(["name": "name", "age": "age"])
        try await store.perform { [cat] context in
            defer { context.rollback() }
            let objects = try context.objects(from: #"{"age": 3}"#, by: cat)
            #expect(try objects[0].givenName == "Kitty Cat!")
            let other = try context.objects(from: #"{"name": "Asia"}"#, by: cat)
            #expect(try other[0].value("age", as: Int?.self) == 0)
        }
    }

    @Test(.parity("P086")) func choosesEntityByAttributeValue() async throws {
        let store = try await files.openHumans()
        let people = DynamicMapping([
            MappingMatcher(at: "type", equals: "Parent", mapping: try named("Parent", in: store)),
            MappingMatcher(at: "type", equals: "Child", mapping: try named("Child", in: store)),
        ])
        try await store.perform { context in
            defer { context.rollback() }
            let objects = try context.objects(
                from: #"[{"type": "Child", "name": "a"}, {"type": "Parent", "name": "b"}]"#,
                by: people)
            #expect(objects.map(\.objectID.entityName) == ["Child", "Parent"])
            #expect(try context.count(FetchRequest("Human")) == 2)
        }
    }

    @Test(.parity("P088", "P089")) func storesListsInAttributes() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["URLs": "catIDs", "favoriteColors": "favoriteColors"])
        let id = try await store.perform { [human] context in
            let objects = try context.objects(
                from: #"{"URLs": ["http://a", "http://b"], "favoriteColors": ["Blue", "Red"]}"#,
                by: human)
            try context.save()
            return objects[0].objectID
        }
        try await store.perform { context in
            let human = try context.object(with: id)
            #expect(try human.value("catIDs", as: [String]?.self) == ["http://a", "http://b"])
            #expect(try human.value("favoriteColors", as: Set<String>?.self) == ["Blue", "Red"])
        }
    }

    @Test(.parity("P094"), arguments: [["Roy", "Asia", "Lola"], ["Asia"]])
    func keepsOrderOfDocument(names: [String]) async throws {
        let store = try await files.openHumans()
        let cat = try named("Cat", in: store)
        let human = try named("Human", in: store, ["catsInOrderByAge": cat])
        let list = names.map { #"{"name": "\#($0)"}"# }.joined(separator: ", ")
        let id = try await store.perform { context in
            let objects = try context.objects(
                from: #"{"name": "Blake", "catsInOrderByAge": [\#(list)]}"#, by: human,
                identification: ["Human": ["name"], "Cat": ["name"]])
            try context.save()
            return objects[0].objectID
        }
        let reversed = names.reversed().map { #"{"name": "\#($0)"}"# }.joined(separator: ", ")
        try await store.perform { context in
            let titles = try context.object(with: id).titles("catsInOrderByAge")
            #expect(titles == names)
            try context.objects(
                from: #"{"name": "Blake", "catsInOrderByAge": [\#(reversed)]}"#, by: human,
                identification: ["Human": ["name"], "Cat": ["name"]])
            try context.save()
        }
        try await store.perform { context in
            let titles = try context.object(with: id).titles("catsInOrderByAge")
            #expect(titles == Array(names.reversed()))
        }
    }

    @Test func keepsOrderOfDocumentInJoinTable() async throws {
        let store = try await files.openHumans()
        let friend = try named("Human", in: store)
        let human = try named("Human", in: store, ["friendsInTheOrderWeMet": friend])
        for names in [["c", "a", "b"], ["b", "c"], ["a", "b", "c"]] {
            let list = names.map { #"{"name": "\#($0)"}"# }.joined(separator: ", ")
            let titles = try await store.perform { context in
                let objects = try context.objects(
                    from: #"{"name": "Blake", "friendsInTheOrderWeMet": [\#(list)]}"#, by: human,
                    identification: ["Human": ["name"]])
                try context.save()
                context.refreshAllObjects()
                return try objects[0].titles("friendsInTheOrderWeMet")
            }
            #expect(titles == names)
        }
    }

    @Test(.parity("P096")) func connectsObjectsWithoutClasses() async throws {
        let store = try await files.openHumans()
        let cloud = try named("Cloud", in: store)
        let storm = try named("Storm", in: store, ["clouds": cloud])
        try await store.perform { context in
            let objects = try context.objects(
                from: #"{"name": "Hugo", "clouds": [{"name": "Nimbus"}]}"#, by: storm)
            #expect(try objects[0].titles("clouds") == ["Nimbus"])
            #expect(try objects[0].related("clouds")[0].related("storm") == objects)
            try context.save()
        }
        #expect(
            try files.rows(
                "SELECT s.name, c.name FROM Cloud c JOIN Storm s ON c.storm = s.restkit_key")
                == [["Hugo", "Nimbus"]])
    }

    @Test(.parity("P097")) func connectsBothSidesOfManyToMany() async throws {
        let store = try await files.openHumans()
        let child = try named("Child", in: store)
        let parent = try named("Parent", in: store, ["children": child])
        try await store.perform { context in
            defer { context.rollback() }
            let objects = try context.objects(
                from: #"{"name": "Win", "children": [{"name": "Maya"}, {"name": "Brady"}]}"#,
                by: parent)
            let children = try objects[0].related("children")
            #expect(try Set(children.map { try $0.givenName }) == ["Maya", "Brady"])
            for child in children { #expect(try child.related("parents") == objects) }
        }
    }
}
