// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests with a managed object as their target.
@MainActor @Suite(.tags(.socket)) struct ManagedTargetTests {
    private static let created = LoopbackResponse.json(
        #"{"human":{"id":1,"name":"My Name"}}"#, status: 201)

    private func addHuman(to api: ObjectManager) throws {
        try api.add(ResponseDescriptor(HumanMappings.human, keyPath: "human"))
    }

    /// The IDs of the target and of new objects are those of the rows that a later save inserts.
    @Test(.parity("SM11")) func idsOfUnsavedObjectsArePermanent() async throws {
        let answer = LoopbackResponse.json(
            #"{"id":1,"name":"a","friends":[{"id":2,"name":"b"}]}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.friends))
            let context = fixture.store.mainContext
            // SQLite would number the rows of an empty table from one.
            for _ in 0..<3 { _ = try Human.insert(into: context, name: "other") }
            context.rollback()
            let human = try Human.insert(into: context, name: "draft")
            let id = human.objectID
            try await fixture.api.post(human, at: "humans") {
                $0.options.savesToPersistentStore = false
            }
            let friend = try #require(human.friends.first)
            let friendID = friend.objectID
            #expect(human.objectID == id)
            #expect(human.objectState == .inserted && friend.objectState == .inserted)
            #expect(try fixture.humans().isEmpty)
            try await context.save()
            #expect([human.objectID, friend.objectID] == [id, friendID])
            let names = try await fixture.store.read { context in
                try context.objects(Human.self, with: [id, friendID]).map(\.name)
            }
            #expect(names == ["a", "b"])
        }
    }

    @Test(.parity("N293", "X001", "K074", "P224", "S033", "K070"))
    func postUpdatesNewObjectInPlace() async throws {
        try await HumanFixture.run(answering: Self.created) { fixture in
            try addHuman(to: fixture.api)
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "draft")
            let id = human.objectID
            #expect(human.objectState == .inserted)
            let result = try await fixture.api.post(human)
            #expect(result.objectIDs == [id])
            #expect(human.railsID == 1)
            #expect(human.name == "My Name")
            #expect(human.objectState == .saved)
            #expect(try fixture.humans() == ["1|My Name"])
            #expect(fixture.server.requests.map(\.method) == ["POST"])
            let type = fixture.server.requests.first?.headers["content-type"]
            #expect(type?.hasPrefix("application/json") == true)
        }
    }

    @Test(.parity("N294", "N295", "X002", "K076", "SM08", "SM48"))
    func failureLeavesNewObjectUnsaved() async throws {
        let answer = LoopbackResponse.json(
            #"{"human":{"id":1,"name":"error"}}"#, status: 500)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture.api)
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.human, keyPath: "human", statusCodes: nil))
            let human = try Human.insert(into: fixture.store.mainContext, name: "draft")
            await #expect(throws: NetworkingError.self) { try await fixture.api.post(human) }
            #expect(human.objectState == .inserted)
            #expect(human.name == "draft")
            #expect(human.railsID == nil)
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(.parity("P223")) func emptySuccessSavesNewObject() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            let human = try Human.insert(into: fixture.store.mainContext, name: "draft")
            try await fixture.api.post(human)
            #expect(human.objectState == .saved)
            #expect(try fixture.humans() == ["-|draft"])
        }
    }

    @Test(.parity("N299", "X013")) func postingTwiceCreatesNoDuplicate() async throws {
        try await HumanFixture.run(answering: Self.created) { fixture in
            try addHuman(to: fixture.api)
            let context = fixture.store.mainContext.child().child()
            let human = try Human.insert(into: context, name: "draft")
            let id = human.objectID
            for _ in 0..<2 {
                let result = try await fixture.api.post(human)
                #expect(result.objectIDs == [id])
                #expect(try fixture.humans() == ["1|My Name"])
            }
        }
    }

    @Test(.parity("N302", "X016")) func postRecognizesObjectSavedBefore() async throws {
        try await HumanFixture.run(answering: Self.created) { fixture in
            try addHuman(to: fixture.api)
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "draft")
            try await context.save()
            let result = try await fixture.api.post(human)
            #expect(result.objectIDs == [human.objectID])
            #expect(human.railsID == 1)
            #expect(try fixture.humans() == ["1|My Name"])
        }
    }

    /// The compiler chooses the call without a value in such a closure.
    @Test func callThatSavesNothingIsError() async throws {
        try await HumanFixture.run(answering: Self.created) { fixture in
            try addHuman(to: fixture.api)
            let human = try Human.insert(into: fixture.store.mainContext, name: "draft")
            let calls: [(Human) async throws -> Void] = [
                { try await fixture.api.post($0) }, { try await fixture.api.put($0) },
                { try await fixture.api.patch($0) }, { try await fixture.api.delete($0) },
            ]
            for call in calls {
                let error = await #expect(throws: NetworkingError.self) { try await call(human) }
                #expect(error?.code == .invalidRequest)
            }
            #expect(fixture.server.requests.isEmpty)
        }
    }

    @Test(.parity("K077")) func targetWinsOverEqualIdentity() async throws {
        try await HumanFixture.run(answering: Self.created) { fixture in
            try addHuman(to: fixture.api)
            try await fixture.save([1: "other"])
            let human = try Human.insert(into: fixture.store.mainContext, name: "draft")
            try await fixture.api.post(human)
            #expect(human.name == "My Name" && human.railsID == 1)
            // The new object takes over the row.
            #expect(try fixture.humans() == ["1|My Name"])
        }
    }

    @Test(.parity("K077")) func listIgnoresTarget() async throws {
        let answer = LoopbackResponse.json(#"{"human":[{"id":7,"name":"seven"}]}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture.api)
            let human = try Human.insert(into: fixture.store.mainContext, name: "draft")
            let result = try await fixture.api.post(human)
            #expect(result.objectIDs.count == 1)
            #expect(result.objectIDs != [human.objectID])
            #expect(human.name == "draft")
            #expect(try fixture.humans() == ["-|draft", "7|seven"])
        }
    }

    @Test(.parity("K075")) func failsWhenTargetWasDeletedMeanwhile() async throws {
        try await HumanFixture.run(answering: Self.created) { fixture in
            try addHuman(to: fixture.api)
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "a")
            human.railsID = 1
            try await context.save()
            // Another context deletes the row while the main context has not taken the commit.
            let id = human.objectID
            let request = ObjectRequest<ObjectResponse>(
                .put, at: .object, object: RequestObject(human))
            #expect(try fixture.api.operation(for: request).request.method == .put)
            try await fixture.store.perform { other in
                other.delete(try other.object(with: id))
                try other.save()
            }
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.put(human)
            }
            #expect(error?.code == .importFailed)
            #expect(error?.underlying?.code == .objectNotFound)
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(.parity("K078")) func rejectsRepresentationOfAnotherEntity() async throws {
        let answer = LoopbackResponse.json(#"{"cat":{"id":1,"name":"Tom"},"pets":[]}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.cat, keyPath: "cat"))
            try fixture.api.add(Route(Human.self, "people", methods: .put))
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.human, at: "people", keyPath: "human"))
            let human = try Human.insert(into: fixture.store.mainContext, name: "draft")
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.put(human)
            }
            #expect(error?.underlying?.code == .invalidMapping)
            #expect("\(try #require(error))".contains("Cat"))
            #expect(human.objectState == .inserted)
            // With several mappings, the other entity's representation is another object.
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.human, at: "people", keyPath: "pets"))
            let result = try await fixture.api.put(human)
            #expect(result.objectIDs.map(\.entityName) == ["Cat"])
            #expect(try fixture.temporary.rows("SELECT name FROM Cat") == ["Tom"])
        }
    }

    @Test(.parity("N298", "X012", "K079", "SM12", "SM49", "SM04"))
    func postWithoutSavingKeepsNewObjectsInContext() async throws {
        let answer = LoopbackResponse.json(#"{"id":5,"title":"Post Title"}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.title))
            let context = fixture.store.mainContext
            let post = try Post.insert(into: context)
            let tags = [try Tag.insert(into: context), try Tag.insert(into: context)]
            post.tags = Set(tags)
            let ids = ([post] + tags).map(\.objectID)
            let result = try await fixture.api.post(post, at: "posts.json") {
                $0.options.savesToPersistentStore = false
            }
            #expect(result.objectIDs == [post.objectID])
            #expect(post.title == "Post Title")
            #expect(post.objectState == .inserted)
            #expect(try fixture.temporary.rows("SELECT count(*) FROM Post") == ["0"])
            // The IDs stay valid once the objects are saved.
            try await context.save()
            let found = try await fixture.store.perform { other in
                try other.objects(with: ids).map(\.objectID)
            }
            #expect(found == ids)
        }
    }

    @Test(.parity("N300", "X014"), arguments: [false, true])
    func postingWithNewChildrenCreatesNoDuplicates(identifiesTags: Bool) async throws {
        let answer = LoopbackResponse.json(
            #"{"id":1,"title":"Post Title","tags":[{"name":"a"},{"name":"b"}]}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            var mapping = HumanMappings.post
            if !identifiesTags { mapping.rules["Tag"] = nil }
            try fixture.api.add(ResponseDescriptor(mapping))
            let context = fixture.store.mainContext
            let post = try Post.insert(into: context)
            let tags = [try Tag.insert(into: context), try Tag.insert(into: context)]
            post.tags = Set(tags)
            for _ in 0..<2 {
                let result = try await fixture.api.post(post, at: "posts")
                #expect(result.objectIDs == [post.objectID])
                #expect(post.tags == Set(tags))
                #expect(Set(tags.map(\.name)) == ["a", "b"])
                #expect(
                    try fixture.temporary.rows("SELECT name FROM Tag ORDER BY name") == ["a", "b"])
                #expect(try fixture.temporary.rows("SELECT count(*) FROM Post") == ["1"])
            }
        }
    }

    @Test(.parity("N309", "X020"), arguments: [false, true])
    func connectsObjectsOfSameResponse(humanIsMappedFirst: Bool) async throws {
        let answer = LoopbackResponse.json(
            #"{"human":{"id":1,"catIDs":[12,56]},"cats":[{"id":12},{"id":56},{"id":9}]}"#,
            status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            // The newest descriptor is mapped first.
            let cats = ResponseDescriptor(HumanMappings.cat, keyPath: "cats")
            let human = ResponseDescriptor(HumanMappings.humanWithCatIDs, keyPath: "human")
            for descriptor in humanIsMappedFirst ? [cats, human] : [human, cats] {
                try fixture.api.add(descriptor)
            }
            let target = try Human.insert(into: fixture.store.mainContext)
            try await fixture.api.post(target)
            #expect(Set(target.cats.map(\.railsID)) == [12, 56])
        }
    }

    @Test(.parity("N307", "X019")) func arrayPostFindsExistingObjects() async throws {
        let answer = LoopbackResponse.json(#"[{"name":"development"},{"name":"restkit"}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.tag, at: "tags"))
            let context = fixture.store.mainContext
            let tags = [
                try Tag.insert(into: context, name: "development"),
                try Tag.insert(into: context, name: "restkit"),
            ]
            try await context.save()
            let request = ManagedRequest(.post, at: "tags", object: RequestObject(tags))
            let operation = try fixture.api.operation(for: request, into: fixture.store)
            try fixture.api.enqueue(operation)
            let result = try await operation.value
            #expect(result.objectIDs == tags.map(\.objectID))
            #expect(try fixture.temporary.rows("SELECT count(*) FROM Tag") == ["2"])
        }
    }

    @Test func patchSendsChangesSinceLastSave() async throws {
        let answer = LoopbackResponse.json(#"{"human":{"id":1,"name":"New"}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture.api)
            try await fixture.save([1: "Old"])
            let human = try #require(try fixture.store.mainContext.first(Human.self))
            human.name = "New"
            try await fixture.api.patch(human)
            let request = try #require(fixture.server.requests.first)
            #expect(request.method == "PATCH" && request.path == "/humans/1")
            #expect(request.headers["content-type"] == "application/merge-patch+json")
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"name":"New"}"#)
            #expect(human.objectState == .saved)
            #expect(try fixture.humans() == ["1|New"])
            let unsent = try await fixture.api.patch(human)
            #expect(fixture.server.requests.count == 1)
            #expect(unsent.objectIDs.isEmpty)
        }
    }

    @Test func patchHasContentTypeAndParametersOfProgram() async throws {
        let answer = LoopbackResponse.json(#"{"human":{"id":1,"name":"New"}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture.api)
            try await fixture.save([1: "Old"])
            let human = try #require(try fixture.store.mainContext.first(Human.self))
            human.name = "New"
            try await fixture.api.patch(human, parameters: ["notify": true]) { request in
                request.request.headerFields[.contentType] = "application/json"
                request.request.parameterStyle.placement = .query
            }
            let request = try #require(fixture.server.requests.first)
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.query == "notify=1")
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"name":"New"}"#)
        }
    }

    /// Another program has written text that is no list: a request would replace the server's list.
    @Test(arguments: ["POST", "PUT", "PATCH"])
    func sendsNoRequestOfUnreadableValue(method: String) async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            try addHuman(to: fixture.api)
            try await fixture.save([1: "Old"])
            try fixture.temporary.execute("UPDATE Human SET catIDs = '[1, '")
            let human = try #require(try fixture.store.mainContext.first(Human.self))
            human.name = "New"
            let error = await #expect(throws: NetworkingError.self) {
                switch method {
                case "POST": try await fixture.api.post(human)
                case "PUT": try await fixture.api.put(human)
                default: try await fixture.api.patch(human)
                }
            }
            #expect(error?.description.contains("\(human.objectID).catIDs") == true)
            #expect(fixture.server.requests.isEmpty)
            #expect(try fixture.temporary.rows("SELECT name, catIDs FROM Human") == ["Old|[1, "])
            // The changes of a repaired object include the value, also if it is empty.
            human.catIDs = []
            try await fixture.api.patch(human)
            let body = try #require(fixture.server.requests.first?.body)
            #expect(try Document(parsing: Data(body)) == ["name": "New", "catIDs": []])
        }
    }

    @Test func getRefreshesObject() async throws {
        let answer = LoopbackResponse.json(#"{"human":{"id":1,"name":"Server"}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture.api)
            try await fixture.save([1: "Local"])
            let human = try #require(try fixture.store.mainContext.first(Human.self))
            try await fixture.api.get(human)
            #expect(fixture.server.requests.map(\.target) == ["/humans/1"])
            #expect(human.name == "Server")
        }
    }
}

/// DELETE requests of managed objects.
@MainActor @Suite(.tags(.socket)) struct ManagedDeletionTests {
    /// The answers to a DELETE, and the key path of a descriptor for them.
    private nonisolated static let answers: [(String, LoopbackResponse, keyPath: DocumentPath?)] = [
        ("204", LoopbackResponse(status: 204), nil),
        ("empty body", LoopbackResponse(status: 200), nil),
        ("empty object", .json("{}"), nil),
        ("nothing mappable", .json(#"{"human":{"status":"OK"}}"#), "human"),
        ("by URL", .json(#"{"human":{"status":"OK"}}"#), .root),
        ("another key", .json(#"{"other":1}"#), "human"),
        (
            "text",
            LoopbackResponse(
                status: 200, headers: [("Content-Type", "text/plain")], body: Array("OK".utf8)), nil
        ),
        ("404", .json(#"{"error":"gone"}"#, status: 404), nil),
        ("410", LoopbackResponse(status: 410), nil),
    ]

    @Test(
        .parity(
            "P225", "P226", "P227", "P228", "P229", "P230", "P231", "P232", "P233", "P234", "K080",
            "K082", "K083", "N296", "N297", "X003", "SM18"), arguments: answers.indices)
    func deletesTarget(_ index: Int) async throws {
        let (name, answer, keyPath) = Self.answers[index]
        try await HumanFixture.run(answering: answer) { fixture in
            if let keyPath {
                let source: SourcePath = keyPath == .root ? "human.status" : "status"
                let mapping = HumanMappings.name(
                    from: name == "nothing mappable" ? "name" : source)
                try fixture.api.add(ResponseDescriptor(mapping, keyPath: keyPath))
            }
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "Blake")
            human.railsID = 1
            let other = try Human.insert(into: context, name: "Other")
            other.railsID = 2
            try await context.save()
            let result = try await fixture.api.delete(human)
            #expect(human.objectState == .deleted)
            #expect(result.objectIDs.isEmpty)
            #expect(fixture.server.requests.map(\.method) == ["DELETE"])
            #expect(try fixture.humans() == ["2|Other"])
        }
    }

    @Test(arguments: [403, 409, 500]) func keepsTargetAfterFailure(_ status: Int) async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: status)) { fixture in
            try await fixture.save([1: "Blake"])
            let human = try #require(try fixture.store.mainContext.first(Human.self))
            await #expect(throws: NetworkingError.self) { try await fixture.api.delete(human) }
            #expect(human.objectState == .saved)
            #expect(try fixture.humans() == ["1|Blake"])
        }
    }

    @Test(.parity("K081", "K083"), arguments: [204, 404])
    func failsWhenTargetIsGone(_ status: Int) async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: status)) { fixture in
            try await fixture.save([1: "Blake"])
            let human = try #require(try fixture.store.mainContext.first(Human.self))
            #expect(human.name == "Blake")
            try await fixture.store.perform { other in
                for human in try other.fetch(Human.self) { other.delete(human) }
                try other.save()
            }
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.delete(human)
            }
            #expect(error?.underlying?.code == .objectNotFound)
        }
    }

    @Test(.parity("N308", "X004")) func deletionReachesStoreThroughParents() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            try await fixture.save([1: "Blake"])
            let context = fixture.store.mainContext
            let seen = try #require(try context.first(Human.self))
            let child = context.child()
            let human = try #require(try child.first(Human.self))
            try await fixture.api.delete(human)
            #expect(human.objectState == .deleted)
            #expect(seen.objectState == .deleted)
            #expect(try context.fetch(Human.self).isEmpty)
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(.parity("K083")) func failedSaveKeepsErrorOfResponse() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 404)) { fixture in
            try await fixture.save([1: "Blake"])
            let context = fixture.store.mainContext
            let human = try #require(try context.first(Human.self))
            context.willSave = { _ in throw CocoaError(.fileWriteUnknown) }
            let error = await #expect(throws: NetworkingError.self) {
                try await fixture.api.delete(human)
            }
            #expect(error?.code == .unexpectedStatus)
            #expect(human.objectState == .saved)
            #expect(try fixture.humans() == ["1|Blake"])
        }
    }
}
