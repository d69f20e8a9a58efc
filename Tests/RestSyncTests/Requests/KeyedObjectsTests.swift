// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Responses whose root is a dictionary of managed objects.
@MainActor @Suite(.tags(.socket)) struct KeyedObjectsTests {
    private static let keyed = LoopbackResponse.json(
        #"{"cook":{"id":1,"name":"Ann"},"guest":{"id":2,"name":"Bo"}}"#)

    private func addHuman(to fixture: HumanFixture, keyPath: DocumentPath = "") throws {
        try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: keyPath))
    }

    @Test func dictionaryOfContextIsRead() async throws {
        try await HumanFixture.run(answering: Self.keyed) { fixture in
            try addHuman(to: fixture)
            try await fixture.save([2: "stored"])
            let context = fixture.store.mainContext
            let known = try #require(try context.first(Human.self))
            let humans: [String: Human] = try await fixture.api.get("staff", in: context)
            #expect(Set(humans.keys) == ["cook", "guest"])
            #expect(humans["cook"]?.name == "Ann" && humans["guest"] === known)
            #expect(humans.values.allSatisfy { $0.managedObjectContext === context })
            #expect(try fixture.humans() == ["1|Ann", "2|Bo"])
            let none: [String: Human]? = try await fixture.api.get("staff", in: context)
            #expect(none?.count == 2)
        }
    }

    @Test func dictionaryOfDefaultStoreIsRead() async throws {
        try await HumanFixture.run(answering: Self.keyed) { fixture in
            try addHuman(to: fixture)
            fixture.api.store = fixture.store
            let humans: [String: Human] = try await fixture.api.get("staff")
            #expect(humans.mapValues(\.name) == ["cook": "Ann", "guest": "Bo"])
            #expect(try fixture.humans() == ["1|Ann", "2|Bo"])
        }
    }

    @Test func dictionaryAtKeyPathIsRead() async throws {
        let answer = LoopbackResponse.json(#"{"staff":{"cook":{"id":1,"name":"Ann"}}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture, keyPath: "staff")
            let humans: [String: Human] = try await fixture.api.get(
                "staff", in: fixture.store.mainContext)
            #expect(humans.mapValues(\.name) == ["cook": "Ann"])
        }
    }

    @Test func invalidMemberFailsWithoutSaving() async throws {
        let answer = LoopbackResponse.json(#"{"cook":{"id":1,"name":"Ann"},"guest":7}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture)
            await #expect(throws: NetworkingError.self) {
                let _: [String: Human] = try await fixture.api.get(
                    "staff", in: fixture.store.mainContext)
            }
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test func severalKeyPathsAreSections() async throws {
        let answer = LoopbackResponse.json(
            #"{"staff":[{"id":1,"name":"Ann"}],"cats":{"pet":{"id":3,"name":"Asia"}}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture, keyPath: "staff")
            try fixture.api.add(ResponseDescriptor(HumanMappings.cat, keyPath: "cats.pet"))
            let context = fixture.store.mainContext
            let result: MappingResult = try await fixture.api.send(
                ManagedRequest(at: "all"), in: context)
            #expect(Set(result.dictionary.keys.map(\.description)) == ["staff", "cats.pet"])
            #expect((result.dictionary["staff"]?.first as? Human)?.name == "Ann")
            let cat = try #require(result.dictionary["cats.pet"]?.first as? Cat)
            #expect(cat.name == "Asia" && cat.managedObjectContext === context)
        }
    }
}
