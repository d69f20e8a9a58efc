// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization

/// A server of folders and notes with versions and idempotency keys, behind a stub transport.
final class NoteServer: Sendable {
    struct Resource: Sendable {
        var values: [String: Value]
        var revision = 1
    }

    enum Value: Sendable, Hashable {
        case null
        case number(Int)
        case text(String)
        /// The identities of members.
        case list([Int])
    }

    /// A fault of a request.
    enum Fault: Sendable {
        /// The server answers with a status and does nothing.
        case status(Int, body: String = "{}")
        /// The request does not arrive.
        case unreachable
        /// The request arrives, and the answer is lost.
        case lostAnswer
        /// The request is lost after it was sent.
        case lostRequest
    }

    private struct State {
        var resources: [String: [Int: Resource]] = [:]
        var nextID = 100
        var keys: [String: Int] = [:]
        var faults: [@Sendable (TransportRequest) -> Fault?] = []
        var gate: (@Sendable (TransportRequest) async -> Void)?
        var answerGate: (@Sendable (TransportRequest) async -> Void)?
    }

    private let state = Mutex(State())
    private let log = Mutex<[String]>([])
    private let credentials = Mutex<Set<String>>([])

    /// The requests that have arrived: method, path and body.
    var requests: [String] { log.withLock(\.self) }

    /// The credentials of the requests.
    var tokens: Set<String> { credentials.withLock(\.self) }

    var transport: StubTransport {
        StubTransport { request in try await self.respond(to: request) }
    }

    func resources(_ name: String) -> [Int: Resource] {
        state.withLock { $0.resources[name] ?? [:] }
    }

    func value(_ name: String, _ id: Int, _ key: String) -> Value? {
        resources(name)[id]?.values[key]
    }

    func put(_ name: String, _ id: Int, _ values: [String: Value], revision: Int = 1) {
        state.withLock { state in
            state.resources[name, default: [:]][id] = Resource(values: values, revision: revision)
        }
    }

    /// Changes a resource as another client.
    func change(_ name: String, _ id: Int, _ values: [String: Value]) {
        state.withLock { state in
            state.resources[name]?[id]?.values.merge(values) { $1 }
            state.resources[name]?[id]?.revision += 1
        }
    }

    func remove(_ name: String, _ id: Int) {
        state.withLock { state in state.resources[name]?[id] = nil }
    }

    /// Adds a fault for the next request of a method; `nil` for any method.
    func fail(_ method: String? = nil, _ fault: Fault) {
        state.withLock { state in
            state.faults.append { request in
                method == nil || request.method.rawValue == method ? fault : nil
            }
        }
    }

    /// Calls a closure before each request is executed.
    func hold(_ gate: (@Sendable (TransportRequest) async -> Void)?) {
        state.withLock { $0.gate = gate }
    }

    /// Calls a closure after each request is executed, before it is answered.
    func holdAnswers(_ gate: (@Sendable (TransportRequest) async -> Void)?) {
        state.withLock { $0.answerGate = gate }
    }

    // MARK: Responding

    private func respond(to request: TransportRequest) async throws -> TransportResponse {
        var bytes: [UInt8] = []
        for try await chunk in request.body.chunks { bytes += chunk }
        let body = String(decoding: bytes, as: UTF8.self)
        let received = Request(
            method: request.method.rawValue, path: String(request.url.requestTarget.dropFirst()),
            key: request.headerFields[.idempotencyKey],
            isNew: request.headerFields[.ifNoneMatch] == "*", body: body)
        let fault = state.withLock { state -> Fault? in
            for (index, fault) in state.faults.enumerated() {
                guard let found = fault(request) else { continue }
                state.faults.remove(at: index)
                return found
            }
            return nil
        }
        if case .unreachable = fault {
            throw TransportError(.connectionFailed, stage: .connecting, reason: "no route")
        }
        log.withLock { $0.append("\(received.method) \(received.path) \(body)") }
        if let token = request.headerFields[.authorization] {
            credentials.withLock { _ = $0.insert(token) }
        }
        if let gate = state.withLock(\.gate) { await gate(request) }
        let lost = TransportError(.connectionLost, stage: .receivingHeader, reason: "lost")
        switch fault {
        case .status(let status, let body):
            return .json(body, status: HTTPResponse.Status(code: status), to: request)
        case .lostRequest: throw lost
        case .lostAnswer:
            _ = execute(received)
            throw lost
        case .unreachable, nil:
            let (status, text) = execute(received)
            if let gate = state.withLock(\.answerGate) { await gate(request) }
            if status == 204 { return .stub(.noContent, to: request) }
            return .json(text, status: HTTPResponse.Status(code: status), to: request)
        }
    }

    /// Returns the response to a request over a socket.
    func respond(to request: LoopbackRequest) -> LoopbackResponse {
        let headers = Dictionary(
            request.headers.map { ($0.key.lowercased(), $0.value) }
        ) { first, _ in first }
        let (status, text) = execute(
            Request(
                method: request.method, path: String(request.path.dropFirst()),
                key: headers["idempotency-key"], isNew: headers["if-none-match"] == "*",
                body: String(decoding: request.body, as: UTF8.self)))
        return .json(text, status: status)
    }

    private struct Request {
        let method: String
        let path: String
        let key: String?
        let isNew: Bool
        let body: String
    }

    /// Executes a request and returns the status and the body of the response.
    private func execute(_ request: Request) -> (Int, String) {
        let parts = request.path.split(separator: "/").map(String.init)
        let name = parts[0]
        let id = parts.count > 1 ? Int(parts[1]) : nil
        let values = Self.values(request.body)
        return state.withLock { state in
            func answer(_ status: Int, _ id: Int) -> (Int, String) {
                (status, state.resources[name]?[id].map { Self.json($0, id) } ?? "{}")
            }
            if let id, parts.count == 4, let member = Int(parts[3]) {
                return (
                    Self.change(
                        &state.resources[name, default: [:]], id, parts[2], member, request.method),
                    "{}"
                )
            }
            switch (request.method, id) {
            case ("GET", nil):
                let list = (state.resources[name] ?? [:]).sorted { $0.key < $1.key }
                    .map { Self.json($0.value, $0.key) }.joined(separator: ",")
                return (200, "[\(list)]")
            case ("GET", let id?):
                return state.resources[name]?[id] == nil ? (404, "{}") : answer(200, id)
            case ("POST", nil):
                if let key = request.key, let known = state.keys[key] { return answer(201, known) }
                state.nextID += 1
                state.resources[name, default: [:]][state.nextID] = Resource(
                    values: values.filter { $0.key != "id" && $0.key != "revision" })
                if let key = request.key { state.keys[key] = state.nextID }
                return answer(201, state.nextID)
            case ("POST", let id?):
                if state.resources[name]?[id] == nil { return (404, "{}") }
                state.resources[name]?[id]?.values["command"] = .text(parts.last ?? "")
                state.resources[name]?[id]?.revision += 1
                return answer(200, id)
            case ("PATCH", let id?):
                guard let known = state.resources[name]?[id] else { return (404, "{}") }
                if case .number(let revision) = values["revision"], revision != known.revision {
                    return (412, "{}")
                }
                state.resources[name]?[id]?.values.merge(
                    values.filter { $0.key != "revision" && $0.key != "id" }
                ) { $1 }
                state.resources[name]?[id]?.revision += 1
                return answer(200, id)
            case ("PUT", let id?):
                if request.isNew, state.resources[name]?[id] != nil { return (412, "{}") }
                state.resources[name, default: [:]][id] = Resource(values: values)
                return answer(201, id)
            case ("DELETE", let id?):
                let former = state.resources[name]?.removeValue(forKey: id)
                return (former == nil ? 404 : 204, "{}")
            default: return (405, "{}")
            }
        }
    }

    /// Adds a member to a list of a resource, or removes it, and returns the status.
    private static func change(
        _ resources: inout [Int: Resource], _ id: Int, _ list: String, _ member: Int,
        _ method: String
    ) -> Int {
        guard let resource = resources[id] else { return 404 }
        var members: [Int] = []
        if case .list(let known) = resource.values[list] { members = known }
        let isMember = members.contains(member)
        if method == "DELETE", !isMember { return 404 }
        members.removeAll { $0 == member }
        if method == "PUT" { members.append(member) }
        resources[id]?.values[list] = .list(members)
        resources[id]?.revision += 1
        return 204
    }

    private static func values(_ body: String) -> [String: Value] {
        if body.isEmpty { return [:] }
        let parsed = try? JSONSerialization.jsonObject(with: Data(body.utf8))
        let object = parsed as? [String: Any] ?? [:]
        return object.mapValues { value in
            switch value {
            case let text as String: .text(text)
            case let number as Int: .number(number)
            case let list as [Int]: .list(list)
            case let object as [String: Any]: (object["id"] as? Int).map(Value.number) ?? .null
            default: .null
            }
        }
    }

    private static func json(_ resource: Resource, _ id: Int) -> String {
        var members = ["\"id\":\(id)", "\"revision\":\(resource.revision)"]
        for (key, value) in resource.values.sorted(by: { $0.key < $1.key })
        where key != "id" && key != "revision" {
            switch value {
            case .null: members.append("\"\(key)\":null")
            case .number(let number):
                members.append(
                    ["folder", "friend"].contains(key)
                        ? "\"\(key)\":{\"id\":\(number)}" : "\"\(key)\":\(number)")
            case .text(let text): members.append("\"\(key)\":\"\(text)\"")
            case .list(let list): members.append("\"\(key)\":\(list.sorted())")
            }
        }
        return "{\(members.joined(separator: ","))}"
    }
}
