// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Each target of a request with each destination of its response.
@MainActor @Suite(.tags(.socket)) struct TargetsAndDestinationsTests {
    enum Target: CaseIterable {
        case text, interpolated, path, route, object, relationship

        /// Returns the target that leads to `humans/7/friends`.
        func value(_ human: Human) -> RequestTarget {
            switch self {
            case .text: "humans/7/friends".requestTarget
            case .interpolated: "humans/\(human.railsID ?? 0)/friends".requestTarget
            case .path: .path("humans/7/friends")
            case .route: .route(named: "friends", of: human)
            case .object: .route(of: Group(railsID: 7))
            case .relationship: .relationship("friends", of: human)
            }
        }
    }

    enum Destination: CaseIterable {
        case values, value, list, context, valueInContext, store, defaultStore
        case pages, pagesInContext, pagesOfValues, live, liveList
        case send, sendInContext, operation, contextOperation, batch, batchInContext

        /// Gets humans and returns their names.
        @MainActor func names(
            _ target: RequestTarget, _ fixture: HumanFixture
        ) async throws -> [String?] {
            let (api, store) = (fixture.api, fixture.store)
            let context = store.mainContext
            func names(_ result: ManagedResult) throws -> [String?] {
                try context.objects(Human.self, with: result.objectIDs).map(\.name)
            }
            switch self {
            case .values:
                return try await api.getObjects(
                    Member.self, at: target, parameters: ["q": 1], keyPath: "data", configure: tag
                ).map(\.name)
            case .value:
                let members: [Member] = try await api.get(
                    target, parameters: ["q": 1], keyPath: "data", configure: tag)
                return members.map(\.name)
            case .list:
                let members: [Member] = try await api.send(
                    tagged(ObjectRequest(at: target, parameters: ["q": 1], keyPath: "data"))
                ).value
                return members.map(\.name)
            case .context:
                return try await api.getObjects(
                    Human.self, at: target, parameters: ["q": 1], keyPath: "data", in: context,
                    configure: tag
                ).map(\.name)
            case .valueInContext:
                let humans: [Human] = try await api.get(
                    target, parameters: ["q": 1], keyPath: "data", in: context, configure: tag)
                return humans.map(\.name)
            case .store:
                return try names(
                    try await api.getObjects(
                        Human.self, at: target, parameters: ["q": 1], keyPath: "data", into: store,
                        configure: tag))
            case .defaultStore:
                api.store = store
                return try names(
                    try await api.getObjects(
                        Human.self, at: target, parameters: ["q": 1], keyPath: "data",
                        configure: tag))
            case .pages:
                var names: [String?] = []
                let pages = api.pages(
                    of: Human.self, at: target, parameters: ["q": 1], keyPath: "data",
                    by: .linkHeader, into: store, configure: tag)
                for try await page in pages {
                    names += try context.objects(Human.self, with: page.objectIDs).map(\.name)
                }
                return names
            case .pagesInContext:
                var names: [String?] = []
                let pages = api.pages(
                    of: Human.self, at: target, parameters: ["q": 1], keyPath: "data",
                    by: .linkHeader, in: context, configure: tag)
                for try await page in pages { names += page.objects.map(\.name) }
                return names
            case .pagesOfValues:
                var names: [String?] = []
                let pages = api.pages(
                    of: Member.self, at: target, parameters: ["q": 1], keyPath: "data",
                    by: .linkHeader, configure: tag)
                for try await page in pages { names += page.objects.map(\.name) }
                return names
            case .live:
                var ids: [ManagedObjectID] = []
                let states = try api.live(
                    Human.self, at: target, parameters: ["q": 1], keyPath: "data", in: store,
                    configure: tag)
                for await state in states { ids = state.objectIDs }
                return try context.objects(Human.self, with: ids).map(\.name)
            case .liveList:
                let list = try RemoteList(
                    Human.self, at: target, parameters: ["q": 1], keyPath: "data", by: api,
                    in: store, orderBy: \.name, configure: tag)
                try await list.refresh()
                return list.objects.map(\.name)
            case .send: return try names(try await api.send(request(target), into: store))
            case .sendInContext:
                let result: MappingResult = try await api.send(request(target), in: context)
                return result.objects(of: Human.self).map(\.name)
            case .operation:
                let operation = try api.enqueue(api.operation(for: request(target), into: store))
                return try names(try await operation.value)
            case .contextOperation:
                let operation = try api.enqueue(api.operation(for: request(target), in: context))
                return try names(try await operation.value)
            case .batch:
                let batch = try api.enqueueBatch(of: [request(target)], into: store)
                return try names(try await batch.results()[0].get())
            case .batchInContext:
                let batch = try api.enqueueBatch(of: [request(target)], in: context)
                return try names(try await batch.results()[0].get())
            }
        }

        @MainActor private func request(_ target: RequestTarget) -> ManagedRequest {
            var request = ManagedRequest(
                Human.self, at: target, parameters: ["q": 1], keyPath: "data")
            tag(&request)
            return request
        }
    }

    /// A plain object whose route is that of the friends of a human.
    @Mapped struct Group {
        var railsID: Int
    }

    /// A plain object with the values of a human.
    @Mapped struct Member {
        var name: String?
    }

    @Test(arguments: Target.allCases, Destination.allCases)
    func targetReachesDestination(_ target: Target, _ destination: Destination) async throws {
        let answer = LoopbackResponse.json(
            #"{"data":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"id":3,"name":"c"}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(
                Route(relationship: "friends", of: Human.self, "humans/:railsID/friends"),
                Route(named: "friends", "humans/:railsID/friends"),
                Route(Group.self, "humans/:railsID/friends"))
            let human = try Human.insert(into: fixture.store.mainContext, railsID: 7)
            let names = try await destination.names(target.value(human), fixture)
            #expect(names == ["a", "b"])
            let requests = fixture.server.requests
            #expect(requests.allSatisfy { $0.target == "/humans/7/friends?q=1" })
            #expect(requests.allSatisfy { $0.headers["user-agent"] == "tagged" })
            #expect(!requests.isEmpty)
        }
    }
}

/// Sets a header field of a request.
@Sendable private func tag(_ request: inout ManagedRequest) {
    tag(&request.request)
}

@Sendable private func tag<Value>(_ request: inout ObjectRequest<Value>) {
    request.headerFields[.userAgent] = "tagged"
}

private func tagged<Value>(_ request: ObjectRequest<Value>) -> ObjectRequest<Value> {
    var request = request
    tag(&request)
    return request
}
