// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Synchronization
import Testing

@Entity final class Draft: ManagedObject {
    @Identity var id: Int?
    var reference: String = ""
    var title: String = ""
    var revision: Int = 0
    var etag: String?
    var updated: Date?
}

/// A server of drafts with entity tags, dates and titles that no two drafts have.
final class DraftServer: Sendable {
    enum Tags { case strong, weak, none }

    enum Fault: Sendable {
        case status(Int, body: String)
        /// The request is executed, and the answer is lost.
        case lostAnswer
        /// The request is lost after it was sent.
        case lostRequest
    }

    struct Resource: Sendable {
        var reference: String
        var title: String
        var revision = 1
    }

    private struct State {
        var drafts: [Int: Resource] = [:]
        var next = 100
        var faults: [(method: String, fault: Fault)] = []
        var log: [String] = []
        var bodies: [String] = []
        var tags = Tags.strong
        var hasUniqueTitles = false
        var hiddenSearchCount = 0
        var keys: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// The requests: the method, the target, and the fields of conditions.
    var requests: [String] { state.withLock(\.log) }
    /// The bodies of the requests with a body.
    var bodies: [String] { state.withLock(\.bodies) }
    var drafts: [Int: Resource] { state.withLock(\.drafts) }

    func setTags(_ tags: Tags) { state.withLock { $0.tags = tags } }
    func requireUniqueTitles() { state.withLock { $0.hasUniqueTitles = true } }
    /// Hides all objects from some searches, as an index that lags behind.
    func hideSearches(_ count: Int) { state.withLock { $0.hiddenSearchCount = count } }
    func fail(_ method: String, _ fault: Fault) {
        state.withLock { $0.faults.append((method, fault)) }
    }

    func put(_ id: Int, _ title: String, reference: String = "", revision: Int = 1) {
        state.withLock {
            $0.drafts[id] = Resource(reference: reference, title: title, revision: revision)
        }
    }

    var transport: StubTransport { StubTransport { try self.respond(to: $0) } }

    private func respond(to request: TransportRequest) throws -> TransportResponse {
        var body = ""
        if case .bytes(let bytes) = request.body.storage {
            body = String(decoding: bytes, as: UTF8.self)
        }
        let target = String(request.url.requestTarget.dropFirst())
        var line = "\(request.method.rawValue) \(target)"
        for (name, field) in [
            ("If-Match", request.headerFields[.ifMatch]),
            ("If-Unmodified-Since", request.headerFields[.ifUnmodifiedSince]),
        ] {
            if let field { line += " \(name): \(field)" }
        }
        let fault = state.withLock { state -> Fault? in
            state.log.append(line)
            if !body.isEmpty { state.bodies.append(body) }
            let index = state.faults.firstIndex { $0.method == request.method.rawValue }
            return index.map { state.faults.remove(at: $0).fault }
        }
        let lost = TransportError(.connectionLost, stage: .receivingHeader, reason: "lost")
        switch fault {
        case .status(let status, let body):
            return .json(body, status: HTTPResponse.Status(code: status), to: request)
        case .lostRequest: throw lost
        case .lostAnswer:
            _ = execute(request, target, body)
            throw lost
        case nil: break
        }
        let (status, text, id) = execute(request, target, body)
        var fields: HTTPFields = [.contentType: "application/json"]
        if let resource = id.flatMap({ drafts[$0] }) {
            switch state.withLock(\.tags) {
            case .strong: fields[.eTag] = Self.tag(resource)
            case .weak: fields[.eTag] = "W/" + Self.tag(resource)
            case .none: break
            }
            fields[.lastModified] = Self.date(resource)
        }
        return .stub(
            HTTPResponse.Status(code: status), headerFields: fields,
            body: status == 204 ? [] : Array(text.utf8), to: request)
    }

    private static func tag(_ resource: Resource) -> String { "\"r\(resource.revision)\"" }

    private static func date(_ resource: Resource) -> String {
        "Thu, 01 Jan 2026 00:00:\(resource.revision < 10 ? "0" : "")\(resource.revision) GMT"
    }

    private func json(_ id: Int, _ resource: Resource, _ tags: Tags) -> String {
        let tag = (tags == .weak ? "W/" : "") + "\\\"r\(resource.revision)\\\""
        let second = (resource.revision < 10 ? "0" : "") + "\(resource.revision)"
        return """
            {"id":\(id),"reference":"\(resource.reference)","title":"\(resource.title)",\
            "revision":\(resource.revision),"etag":"\(tag)","updated":"2026-01-01T00:00:\(second)Z"}
            """
    }

    private func execute(
        _ request: TransportRequest, _ target: String, _ body: String
    ) -> (Int, String, Int?) {
        let parts = target.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/")
        let id = path.count > 1 ? Int(path[1]) : nil
        let parsed = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any]
        return state.withLock { state in
            func answer(_ status: Int, _ id: Int) -> (Int, String, Int?) {
                guard let draft = state.drafts[id] else { return (status, "{}", nil) }
                return (status, json(id, draft, state.tags), id)
            }
            func fails(_ draft: Resource) -> Bool {
                if let tag = request.headerFields[.ifMatch] { return tag != Self.tag(draft) }
                let date = request.headerFields[.ifUnmodifiedSince]
                return date.map { $0 != Self.date(draft) } ?? false
            }
            switch (request.method, id) {
            case (.get, nil):
                var found = state.drafts.sorted { $0.key < $1.key }
                if parts.count > 1 {
                    let value = parts[1].split(separator: "=").last.map(String.init) ?? ""
                    found.removeAll { $0.value.reference != value }
                    if state.hiddenSearchCount > 0 {
                        state.hiddenSearchCount -= 1
                        found = []
                    }
                }
                let list = found.map { json($0.key, $0.value, state.tags) }
                return (200, "[\(list.joined(separator: ","))]", nil)
            case (.get, let id?):
                return state.drafts[id] == nil ? (404, "{}", nil) : answer(200, id)
            case (.post, nil):
                let title = parsed?["title"] as? String ?? ""
                if let key = parsed?["token"] as? String, let known = state.keys[key] {
                    return answer(201, known)
                }
                if state.hasUniqueTitles,
                    let same = state.drafts.first(where: { $0.value.title == title })
                {
                    return (409, #"{"error":{"code":"duplicate","id":\#(same.key)}}"#, nil)
                }
                state.next += 1
                state.drafts[state.next] = Resource(
                    reference: parsed?["reference"] as? String ?? "", title: title)
                if let key = parsed?["token"] as? String { state.keys[key] = state.next }
                return answer(201, state.next)
            case (.patch, let id?):
                guard let draft = state.drafts[id] else { return (404, "{}", nil) }
                if fails(draft) { return (412, "{}", nil) }
                if let title = parsed?["title"] as? String { state.drafts[id]?.title = title }
                if let reference = parsed?["reference"] as? String {
                    state.drafts[id]?.reference = reference
                }
                state.drafts[id]?.revision += 1
                return answer(200, id)
            case (.delete, let id?):
                guard let draft = state.drafts[id] else { return (404, "{}", nil) }
                if fails(draft) { return (412, "{}", nil) }
                state.drafts[id] = nil
                return (204, "", nil)
            default: return (405, "{}", nil)
            }
        }
    }
}

/// A store of drafts, whose outbox a test declares.
@MainActor final class DraftFixture {
    let directory: URL
    let server = DraftServer()
    let store: ManagedObjectStore
    let api: ObjectManager
    let outbox: Outbox

    var context: ManagedObjectContext { store.mainContext }

    init(
        _ configuration: OutboxConfiguration = OfflineFixture.quick,
        _ declare: @Sendable (Sends<Draft>) -> Sends<Draft>
    ) async throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "DraftFixture-\(UUID().uuidString)")
        store = try await ManagedObjectStore(
            at: directory.appending(path: "drafts.sqlite"), entities: Draft.self)
        let client = try HTTPClient(
            baseURL: "https://drafts.example.com/", transport: server.transport)
        api = try ObjectManager(client: client, requestFormat: .json)
        try api.add(
            Route(Draft.self, "drafts", methods: .post), Route(Draft.self, "drafts/:id"))
        try api.add(RequestDescriptor(RequestMapping(for: Draft.self, ["reference", "title"])))
        outbox = try await Outbox(store: store, manager: api, configuration: configuration) {
            declare(Sends(Draft.self))
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Loads the list, and returns a draft that the server has.
    func load(_ id: Int, _ title: String, revision: Int = 1) async throws -> Draft {
        server.put(id, title, revision: revision)
        _ = try await api.getObjects(Draft.self, at: "drafts", in: context)
        return try #require(try context.first(Draft.self, where: { $0.id == id }))
    }

    func save() throws { try context.save() }

    /// Returns the number of drafts in the store.
    func count() throws -> Int {
        context.refreshAllObjects()
        return try context.fetch(Draft.self).count
    }

    /// The requests of some methods.
    func requests(_ methods: String...) -> [String] {
        server.requests.filter { line in methods.contains { line.hasPrefix("\($0) ") } }
    }
}
