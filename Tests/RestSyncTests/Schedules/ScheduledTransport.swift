// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestKit
import RestTesting
import Synchronization

/// A transport whose requests wait until a schedule answers them.
///
/// Requests belong to a flight, a task of the schedule. The schedule waits for the next event of a flight, so
/// that a step is over when the program waits for the schedule again.
final class ScheduledTransport: HTTPTransport {
    /// A request that waits for an answer.
    struct Letter: Sendable {
        let id: Int
        let flight: Int
        let request: TransportRequest
    }

    /// The next action of a flight.
    enum Event: Sendable {
        case sent(Letter)
        case finished
    }

    @TaskLocal static var flight = 0

    private typealias Reply = CheckedContinuation<TransportResponse, any Error>

    private struct State {
        var lastID = 0
        var replies: [Int: Reply] = [:]
        var events: [Int: [Event]] = [:]
        var observers: [Int: CheckedContinuation<Event, Never>] = [:]
        /// The letters whose tasks were cancelled before they were written.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let flight = Self.flight
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (reply: Reply) in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(id) { return true }
                    state.replies[id] = reply
                    return false
                }
                if isCancelled { return reply.resume(throwing: CancellationError()) }
                note(.sent(Letter(id: id, flight: flight, request: request)), flight)
            }
        } onCancel: {
            let reply = state.withLock { state in
                state.cancelled.insert(id)
                return state.replies.removeValue(forKey: id)
            }
            reply?.resume(throwing: CancellationError())
        }
    }

    private func note(_ event: Event, _ flight: Int) {
        let observer = state.withLock { state in
            let observer = state.observers.removeValue(forKey: flight)
            if observer == nil { state.events[flight, default: []].append(event) }
            return observer
        }
        observer?.resume(returning: event)
    }

    /// Notes that the task of a flight is over.
    func finish(_ flight: Int) { note(.finished, flight) }

    /// Returns what a flight does next, when it has done it.
    func nextEvent(of flight: Int) async -> Event {
        await withCheckedContinuation { continuation in
            let event: Event? = state.withLock { state in
                if let first = state.events[flight]?.first {
                    state.events[flight]?.removeFirst()
                    return first
                }
                state.observers[flight] = continuation
                return nil
            }
            if let event { continuation.resume(returning: event) }
        }
    }

    /// Delivers an answer; with `nil`, the connection is lost.
    func deliver(_ answer: ScheduledServer.Answer?, to letter: Letter) {
        let reply = state.withLock { $0.replies.removeValue(forKey: letter.id) }
        guard let answer else {
            reply?.resume(
                throwing: TransportError(
                    .connectionLost, stage: .receivingHeader, request: letter.request,
                    reason: "lost"))
            return
        }
        var fields: HTTPFields = answer.body.isEmpty ? [:] : [.contentType: "application/json"]
        for (name, value) in answer.fields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        reply?.resume(
            returning: .stub(
                HTTPResponse.Status(code: answer.status), headerFields: fields,
                body: Array(answer.body.utf8), to: letter.request))
    }
}

extension ScheduledServer.Request {
    /// Creates the request as the server sees it.
    init(_ request: TransportRequest) {
        method = request.method.rawValue
        path = request.url.path.split(separator: "/").map(String.init)
        var query: [String: String] = [:]
        for pair in (request.url.query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            query[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        self.query = query
        user = request.headerFields[.authorization] ?? ""
        entityTag = request.headerFields[.ifNoneMatch]
        var body: [String: String?] = [:]
        if let bytes = request.body.bytes, !bytes.isEmpty,
            let document = try? Document(parsing: String(decoding: bytes, as: UTF8.self))
        {
            for (name, value) in document.root.members {
                body[String(name)] = value.string ?? value.numberText
            }
        }
        self.body = body
    }
}
