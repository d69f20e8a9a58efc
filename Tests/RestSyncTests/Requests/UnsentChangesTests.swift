// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The unsaved changes of a context that a request does not send.
@MainActor @Suite(.tags(.socket)) struct UnsentChangesTests {
    private nonisolated static let imported = #"[{"id":1,"name":"imported"}]"#

    /// Answers GET requests with one human, and others without a body.
    private nonisolated static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        request.method == "GET" ? .json(imported) : LoopbackResponse(status: 204)
    }

    private func bodies(_ fixture: HumanFixture) -> [String] {
        fixture.server.requests.filter { $0.method != "GET" }
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Sends the name of a human, and no other property.
    private func sendName(_ fixture: HumanFixture) throws {
        let name = RequestMapping(for: Human.self, ["name"])
        try fixture.api.add(RequestDescriptor(name))
    }

    // MARK: Imported values

    private enum Editor: CaseIterable { case context, child, savedChild }

    @Test(arguments: Editor.allCases)
    private func editOfImportedValueStaysUnsaved(by editor: Editor) async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "all"))
            try await fixture.save([1: "a", 2: "b"])
            let context = fixture.store.mainContext
            _ = try await fixture.api.getObjects(Human.self, at: "all", in: context) {
                $0.options.savesToPersistentStore = false
            }
            let editing = editor == .context ? context : context.child()
            let edited = try editing.fetch(Human.self, orderBy: \.railsID)
            edited[0].name = "edited"
            if editor == .savedChild { try await editing.save() }
            let sending = editor == .savedChild ? context : editing
            let humans = try sending.fetch(Human.self, orderBy: \.railsID)
            humans[1].name = "B"
            try await fixture.api.patch(humans[1])
            #expect(try fixture.humans() == ["1|imported", "2|B"])
            #expect(humans[0].changedValues == ["name": .text("edited")])
            #expect(edited[0].name == "edited")
            try await fixture.api.patch(humans[0])
            #expect(bodies(fixture) == [#"{"name":"B"}"#, #"{"name":"edited"}"#])
            #expect(try fixture.humans() == ["1|edited", "2|B"])
            #expect(!sending.hasChanges && !context.hasChanges)
        }
    }

    @Test(arguments: ["edited", "imported"])
    func editOfImportedValueReplacesStoredOne(last: String) async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "all"))
            try await fixture.save([1: "a", 2: "b"])
            let context = fixture.store.mainContext
            _ = try await fixture.api.getObjects(Human.self, at: "all", in: context) {
                $0.options.savesToPersistentStore = false
            }
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            humans[0].name = "edited"
            humans[0].name = last
            if last == "imported" {
                // The edit is undone, so that nothing is left of it.
                humans[1].name = "B"
                try await fixture.api.patch(humans[1])
                #expect(!context.hasChanges)
            } else {
                try await fixture.store.perform { other in
                    for human in try other.fetch(Human.self) { human.name = "other" }
                    try other.save()
                }
                try await context.save()
            }
            #expect(try fixture.humans()[0] == "1|\(last)")
        }
    }

    @Test func importReplacesEditOfImportedValue() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "all"))
            try await fixture.save([1: "a", 2: "b"])
            let context = fixture.store.mainContext
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            for name in ["edited", "imported"] {
                _ = try await fixture.api.getObjects(Human.self, at: "all", in: context) {
                    $0.options.savesToPersistentStore = false
                }
                #expect(humans[0].name == "imported")
                if name == "edited" { humans[0].name = name }
            }
            humans[1].name = "B"
            try await fixture.api.patch(humans[1])
            #expect(try fixture.humans() == ["1|imported", "2|B"])
            #expect(!context.hasChanges)
        }
    }

    // MARK: Properties outside of the request mapping

    @Test(arguments: ["POST", "PUT", "PATCH"], [false, true])
    func unsentPropertiesStayUnsaved(method: String, savesAtOnce: Bool) async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try sendName(fixture)
            try await fixture.save([1: "a"])
            let context = fixture.store.mainContext
            let human = try #require(try context.first(Human.self))
            human.name = "A"
            human.favoriteCatID = 5
            // Another context saves the property meanwhile.
            try await fixture.store.perform { other in
                try other.first(Human.self)?.favoriteCatID = 9
                try other.save()
            }
            let configure: (inout ManagedRequest) -> Void = {
                $0.options.savesToPersistentStore = savesAtOnce
            }
            switch method {
            case "POST": try await fixture.api.post(human, configure: configure)
            case "PUT": try await fixture.api.put(human, configure: configure)
            default: try await fixture.api.patch(human, configure: configure)
            }
            #expect(bodies(fixture) == [#"{"name":"A"}"#])
            let rows = try fixture.temporary.rows("SELECT name, favoriteCatID FROM Human")
            #expect(rows == [savesAtOnce ? "A|9" : "a|9"])
            #expect(human.favoriteCatID == 5)
            #expect(human.changedValues["favoriteCatID"] == .integer(5))
            let error = await #expect(throws: PersistenceError.self) { try await context.save() }
            #expect(error?.conflicts.map(\.property) == ["favoriteCatID"])
        }
    }

    @Test func unsentDifferencesSendNothingAndStayUnsaved() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try sendName(fixture)
            try await fixture.save([1: "a"])
            let context = fixture.store.mainContext
            let human = try #require(try context.first(Human.self))
            human.favoriteCatID = 5
            try await fixture.api.patch(human)
            #expect(fixture.server.requests.isEmpty)
            #expect(human.changedValues == ["favoriteCatID": .integer(5)])
            #expect(try fixture.temporary.rows("SELECT favoriteCatID FROM Human") == ["0"])
        }
    }

    @Test func newObjectIsSavedWithUnsentProperties() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try sendName(fixture)
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "new", favoriteCatID: 5)
            try await fixture.api.post(human)
            #expect(bodies(fixture) == [#"{"name":"new"}"#])
            #expect(
                try fixture.temporary.rows("SELECT name, favoriteCatID FROM Human") == ["new|5"])
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: [false, true])
    func unsentRelationshipsStayUnsaved(isNew: Bool) async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try sendName(fixture)
            try await fixture.save([1: "a"])
            let context = fixture.store.mainContext
            let cat = try Cat.insert(into: context, name: "Tom")
            let friend = try #require(try context.first(Human.self))
            let human = try Human.insert(into: context, railsID: 2, name: "b")
            try await context.save()
            let owner = isNew ? try Human.insert(into: context, railsID: 3, name: "c") : human
            cat.human = owner
            owner.friends = [friend]
            try await fixture.api.put(owner)
            #expect(try fixture.temporary.rows("SELECT human FROM Cat") == ["-"])
            #expect(try fixture.temporary.rows("SELECT * FROM Human_friends").isEmpty)
            #expect(cat.human == owner && owner.friends == [friend])
            try await context.save()
            #expect(try fixture.temporary.rows("SELECT human IS NULL FROM Cat") == ["0"])
            #expect(try fixture.temporary.rows("SELECT 1 FROM Human_friends") == ["1", "1"])
        }
    }
}
