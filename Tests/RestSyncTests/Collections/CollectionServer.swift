// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import Synchronization

/// A human that is not a managed object.
@Mapped struct PlainHuman {
    var name: String
}

/// The representation that a server has at present, which a test changes.
final class ServedHumans: Sendable {
    struct State: Sendable {
        var humans = #"[{"id":2,"name":"b"},{"id":1,"name":"a"}]"#
        var tag: String? = "\"one\""
        var modified: String?
        var status = 200
        var headers: [(String, String)] = []
        /// A Boolean value that indicates whether the server evaluates conditions.
        var isConditional = true
    }

    let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Answers with the representation, or with 304 if the request has its entity tag.
    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let state = state.withLock(\.self)
        if request.path == "/moved", let status = Int(request.query) {
            return .redirect(status, to: "/humans")
        }
        var headers = state.headers
        if let tag = state.tag { headers.append(("ETag", tag)) }
        if let modified = state.modified { headers.append(("Last-Modified", modified)) }
        if state.isConditional, state.tag != nil, request.headers["if-none-match"] == state.tag {
            return LoopbackResponse(status: 304, headers: headers)
        }
        return .json(state.humans, status: state.status, headers: headers)
    }
}

extension HumanFixture {
    /// Runs a closure with a server whose representation the closure changes.
    static func run(
        _ body: (HumanFixture, ServedHumans) async throws -> Void
    ) async throws {
        let served = ServedHumans()
        try await run({ served.answer($0) }) { fixture in
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.human, statusCodes: StatusCodeSet(200...300)))
            fixture.api.store = fixture.store
            try await body(fixture, served)
        }
    }

    /// Gets the humans at the path "humans".
    @discardableResult
    func load(
        at path: String = "humans", configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        try await api.getObjects(Human.self, at: path, into: store, configure: configure)
    }

    /// Returns the IDs of humans by their keys, as the server numbers them.
    func numbers(_ ids: [ManagedObjectID]) async throws -> [Int?] {
        try await store.read { try $0.objects(Human.self, with: ids).map(\.railsID) }
    }

    /// Returns a field of the last request.
    func lastField(_ name: String) -> String? { server.requests.last?.headers[name] }
}
