// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The responses that a store records as the origin of rows.
@Suite(.tags(.socket)) struct ExplainedImportTests {
    private func run(
        _ body: (ObjectManager, ManagedObjectStore, ManualClock) async throws -> Void
    ) async throws {
        let store = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel(HumanFixture.entities),
            configuration: StoreConfiguration(explainedEntities: ["Human"]))
        try await LoopbackServer.run({ request in
            switch request.path {
            case "/humans/1": .json(#"{"id":1,"name":"new"}"#, status: 203)
            case "/cats": .json(#"[{"id":1,"name":"Asia"}]"#)
            default: .json(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)
            }
        }) { server in
            let api = try manager(at: server.baseURL)
            let clock = ManualClock()
            api.configure { $0.client.clock = clock }
            api.store = store
            try api.add(ResponseDescriptor(HumanMappings.human))
            try await body(api, store, clock)
        }
        try store.close()
    }

    @Test func responseThatWroteRowIsRecorded() async throws {
        try await run { api, store, clock in
            let list = try await api.getObjects(Human.self, at: "humans?token=secret")
            let date = clock.date
            clock.advance(by: .seconds(60))
            // A response with the same values writes nothing.
            try await api.getObjects(Human.self, at: "humans?page=2")
            let first = try #require(try await store.explain(list.objectIDs[0]))
            let insertion = try #require(first.insertion?.response)
            #expect(first.changes.isEmpty)
            #expect(insertion.method == "GET" && insertion.status == 200)
            #expect(insertion.url.hasSuffix("/humans?token=secret"))
            #expect(!"\(insertion)".contains("secret"))
            #expect(!insertion.mappingVersion.isEmpty)
            #expect(abs((first.insertion?.date ?? .now).timeIntervalSince(date)) < 0.001)
            api.configure { $0.mappingVersion = "2" }
            try await api.getObjects(Human.self, at: "humans/1")
            let second = try #require(try await store.explain(list.objectIDs[0]))
            #expect(second.insertion?.response == insertion)
            #expect(Array(second.changes.keys) == ["name"])
            let change = try #require(second.write(of: "name")?.response)
            #expect(change.url.hasSuffix("/humans/1") && change.status == 203)
            #expect(change.mappingVersion != insertion.mappingVersion)
            let later = try #require(second.write(of: "name")).date
            #expect(abs(later.timeIntervalSince(date) - 60) < 0.001)
            #expect(try await store.explain(list.objectIDs[1])?.changes.isEmpty == true)
        }
    }

    @Test func contextsAndPagesRecordResponses() async throws {
        try await run { api, store, _ in
            let context = store.makeContext()
            let local = try Human.insert(into: context, railsID: 9, name: "local")
            let found = try await api.getObjects(Human.self, at: "humans", in: context)
            let id = found[0].objectID
            let response = try await store.explain(id)?.insertion?.response
            #expect(response?.url.hasSuffix("/humans") == true)
            let own = try #require(try await store.explain(local.objectID))
            #expect(own.insertion != nil && own.insertion?.response == nil)
            for try await _ in api.pages(of: Human.self, at: "humans/1", by: .linkHeader) {}
            let page = try await store.explain(id)?.write(of: "name")?.response
            #expect(page?.url.hasSuffix("/humans/1") == true)
        }
    }

    @Test func changesOfHookAreLocal() async throws {
        try await run { api, store, _ in
            let list = try await api.getObjects(Human.self, at: "humans")
            let id = list.objectIDs[0]
            try await api.getObjects(Human.self, at: "humans/1") {
                $0.options.willSave = { context, ids in
                    try context.objects(Human.self, with: ids)[0].favoriteCatID = 7
                    _ = try Human.insert(into: context, railsID: 9, name: "hook")
                }
            }
            let changes = try #require(try await store.explain(id)).changes
            #expect(Set(changes.keys) == ["name", "favoriteCatID"])
            #expect(changes["name"]?.response?.url.hasSuffix("/humans/1") == true)
            let edit = try #require(changes["favoriteCatID"])
            #expect(edit.response == nil)
            let added = try await store.read { context in
                try context.first(Human.self, where: { $0.railsID == 9 })?.objectID
            }
            let insertion = try await store.explain(try #require(added))?.insertion
            #expect(insertion != nil && insertion?.response == nil)
        }
    }

    @Test func otherEntitiesHaveNoRecord() async throws {
        try await run { api, store, _ in
            api.remove(api.responseDescriptors[0])
            let cats = try await api.getObjects(Cat.self, at: "cats") {
                $0.options.storesCollection = false
            }
            #expect(cats.objectIDs.count == 1)
            #expect(try await store.explain(cats.objectIDs[0]) == nil)
        }
    }
}
