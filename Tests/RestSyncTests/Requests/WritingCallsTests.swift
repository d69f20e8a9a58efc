// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Each content of a POST request with each destination of its response, with all options of a call.
@MainActor @Suite(.tags(.socket)) struct WritingCallsTests {
    enum Content: CaseIterable {
        case parameters, mapped, encodable, managed
    }

    enum Destination: CaseIterable {
        case nothing, value, decoded, context, store
    }

    /// A plain object that is mapped.
    @Mapped struct Member {
        var name: String?
    }

    /// A plain object that codes itself.
    struct Coded: Codable {
        var name: String?
    }

    private typealias Form = (inout MultipartForm) throws -> Void

    @Test(arguments: Content.allCases, Destination.allCases)
    func contentReachesDestination(_ content: Content, _ destination: Destination) async throws {
        try await check(content, destination, nil)
    }

    @Test(arguments: Content.allCases, Destination.allCases)
    func formReachesDestination(_ content: Content, _ destination: Destination) async throws {
        try await check(content, destination) { try $0.addField("part", named: "added") }
    }

    /// The call with the fewest arguments that has a form.
    @Test func formOfManagedObjectNeedsNoConfiguration() async throws {
        let answer = LoopbackResponse.json(#"{"id":3,"name":"c"}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            let human = try Human.insert(into: fixture.store.mainContext, name: "sent")
            try await fixture.api.post(
                human, at: "humans",
                form: { form in
                    try form.addField("part", named: "added")
                })
            #expect(human.name == "c")
            let request = try #require(fixture.server.requests.first)
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("sent") && body.contains("part"))
        }
    }

    private func check(
        _ content: Content, _ destination: Destination, _ form: Form?
    ) async throws {
        let answer = LoopbackResponse.json(
            #"{"data":{"id":1,"name":"a"},"id":3,"name":"c"}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            let name = try await name(content, destination, form, fixture)
            #expect(name == (destination == .nothing ? nil : "a"))
            let request = try #require(fixture.server.requests.first)
            #expect(fixture.server.requests.count == 1)
            #expect(request.method == "POST" && request.path == "/humans")
            #expect(request.headers["user-agent"] == "tagged")
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("sent") == (content != .parameters))
            #expect(body.contains("extra"))
            #expect(body.contains("part") == (form != nil))
            let type = request.headers["content-type"] ?? ""
            #expect(type.hasPrefix(form == nil ? "application/json" : "multipart/form-data"))
            let isImported = [.context, .store].contains(destination) || content == .managed
            #expect(try fixture.humans() == (isImported ? ["1|a"] : []))
        }
    }

    /// Sends the content and returns the name in the response.
    private func name(
        _ content: Content, _ destination: Destination, _ form: Form?, _ fixture: HumanFixture
    ) async throws -> String? {
        let (api, context) = (fixture.api, fixture.store.mainContext)
        let extra: RequestParameters = ["q": "extra"]
        let (mapped, coded) = (Member(name: "sent"), Coded(name: "sent"))
        switch (content, destination) {
        case (.managed, _):
            // The destination of a managed object is its own context.
            let human = try Human.insert(into: context, name: "sent")
            let result = try await api.post(
                human, at: "humans", parameters: extra, keyPath: "data", configure: tag,
                form: form)
            #expect(result.objectIDs == [human.objectID])
            return destination == .nothing ? nil : human.name
        case (.parameters, .nothing):
            try await api.post("humans", parameters: extra, configure: tag, form: form)
            return nil
        case (.mapped, .nothing):
            try await api.post(
                mapped, at: "humans", parameters: extra, configure: tag, form: form)
            return nil
        case (.encodable, .nothing):
            try await api.post(
                coded, at: "humans", parameters: extra, configure: tag, form: form)
            return nil
        case (.parameters, .value):
            return try await api.post(
                "humans", parameters: extra, keyPath: "data", as: Member.self, configure: tag,
                form: form
            ).name
        case (.mapped, .value):
            return try await api.post(
                mapped, at: "humans", parameters: extra, keyPath: "data", as: Member.self,
                configure: tag, form: form
            ).name
        case (.encodable, .value):
            return try await api.post(
                coded, at: "humans", parameters: extra, keyPath: "data", as: Member.self,
                configure: tag, form: form
            ).name
        case (.parameters, .decoded):
            return try await api.post(
                "humans", parameters: extra, keyPath: "data", as: Coded.self, configure: tag,
                form: form
            ).name
        case (.mapped, .decoded):
            return try await api.post(
                mapped, at: "humans", parameters: extra, keyPath: "data", as: Coded.self,
                configure: tag, form: form
            ).name
        case (.encodable, .decoded):
            return try await api.post(
                coded, at: "humans", parameters: extra, keyPath: "data", as: Coded.self,
                configure: tag, form: form
            ).name
        case (.parameters, .context):
            return try await api.post(
                "humans", parameters: extra, keyPath: "data", as: Human.self, in: context,
                configure: tag, form: form
            ).name
        case (.mapped, .context):
            return try await api.post(
                mapped, at: "humans", parameters: extra, keyPath: "data", as: Human.self,
                in: context, configure: tag, form: form
            ).name
        case (.encodable, .context):
            return try await api.post(
                RequestObject(encoding: coded), at: "humans", parameters: extra, keyPath: "data",
                as: Human.self, in: context, configure: tag, form: form
            ).name
        case (_, .store):
            let object: RequestObject? =
                switch content {
                case .mapped: RequestObject(mapped)
                case .encodable: RequestObject(encoding: coded)
                case .parameters, .managed: nil
                }
            var request = ManagedRequest(
                Human.self, .post, at: "humans", object: object, parameters: extra,
                keyPath: "data")
            request.request.form = form
            tag(&request)
            let result = try await api.send(request, into: fixture.store)
            return try context.objects(Human.self, with: result.objectIDs).first?.name
        }
    }
}

private func tag(_ request: inout ManagedRequest) { tag(&request.request) }

private func tag<Value>(_ request: inout ObjectRequest<Value>) {
    request.headerFields[.userAgent] = "tagged"
}
