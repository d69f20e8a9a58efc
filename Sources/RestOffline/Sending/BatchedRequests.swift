// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import Synchronization

/// A group of requests that are sent as one.
///
/// Each member goes through all stages of the client. Its transport is the group, which sends one request when all
/// members have arrived, and divides the answer. A member that does not arrive leaves the group. A member that
/// arrives again, as after a renewal of credentials, is sent alone.
///
/// The identity of the group of one pass of a sender.
final class BatchedRequests: Sendable {
    /// The member of the present task.
    @TaskLocal static var member: Member?

    /// One of the requests.
    final class Member: Sendable {
        let group: BatchedRequests
        /// The header fields of the request itself, without those that the client adds.
        let fields: [String: String]
        fileprivate let hasArrived = Mutex(false)

        init(_ group: BatchedRequests, fields: [String: String]) {
            self.group = group
            self.fields = fields
        }
    }

    fileprivate struct Arrival: Sendable {
        let member: Member
        let request: TransportRequest
        let answer: CheckedContinuation<TransportResponse?, any Error>
    }

    private struct State {
        var expectedCount: Int
        var arrivals: [Arrival] = []
        var isClosed = false

        /// Returns the members once all have arrived or left, or the time is over.
        mutating func close(atLatest: Bool = false) -> [Arrival]? {
            guard !isClosed, atLatest || arrivals.count >= expectedCount else { return nil }
            isClosed = true
            return arrivals
        }
    }

    /// The URL of the endpoint.
    private let url: HTTPURL
    private let clock: any TransportClock
    private let state: Mutex<State>

    init(to url: HTTPURL, count: Int, clock: any TransportClock) {
        self.url = url
        self.clock = clock
        state = Mutex(State(expectedCount: count))
    }

    /// The time that members wait for others, because a client may limit the number of its requests.
    private static let patience = Duration.milliseconds(500)

    /// Notes that a member has ended without a request, or has not begun one.
    func leave(_ member: Member?) {
        if let member, member.hasArrived.withLock(\.self) { return }
        let arrivals = state.withLock { state in
            state.expectedCount -= 1
            return state.close()
        }
        if let arrivals { send(arrivals) }
    }

    /// Returns the answer to a request of a member; `nil` if the request is to be sent alone.
    func answer(
        to request: TransportRequest, of member: Member
    ) async throws -> TransportResponse? {
        let isFirst = member.hasArrived.withLock { hasArrived in
            defer { hasArrived = true }
            return !hasArrived
        }
        if !isFirst { return nil }
        return try await withCheckedThrowingContinuation { continuation in
            let arrival = Arrival(member: member, request: request, answer: continuation)
            let (isLate, isFirst, arrivals) = state.withLock { state in
                if state.isClosed { return (true, false, nil as [Arrival]?) }
                state.arrivals.append(arrival)
                return (false, state.arrivals.count == 1, state.close())
            }
            if isLate { return continuation.resume(returning: nil) }
            if let arrivals { return send(arrivals) }
            guard isFirst else { return }
            Task { [clock] in
                try? await clock.sleep(until: clock.now.advanced(by: Self.patience))
                if let arrivals = self.state.withLock({ $0.close(atLatest: true) }) {
                    self.send(arrivals)
                }
            }
        }
    }

    // MARK: Sending

    private let base = Mutex<(any HTTPTransport)?>(nil)

    func setBase(_ transport: any HTTPTransport) {
        base.withLock { $0 = $0 ?? transport }
    }

    private func send(_ arrivals: [Arrival]) {
        guard arrivals.count > 1, let base = base.withLock(\.self) else {
            for arrival in arrivals { arrival.answer.resume(returning: nil) }
            return
        }
        Task {
            do {
                let request = try request(for: arrivals)
                let response = try await base.send(request)
                try await answer(arrivals, response)
            } catch {
                for arrival in arrivals { arrival.answer.resume(throwing: error) }
            }
        }
    }

    private func request(for arrivals: [Arrival]) throws -> TransportRequest {
        let first = arrivals[0]
        let items = try arrivals.enumerated().map { index, arrival in
            try BatchItem(arrival.request, arrival.member.fields, id: "\(index + 1)").json
        }
        let body = try JSONSerialization.data(
            withJSONObject: ["requests": items], options: [.sortedKeys, .withoutEscapingSlashes])
        var request = first.request
        request.method = .post
        request.url = url
        for name in first.member.fields.keys {
            if let name = HTTPField.Name(name) { request.headerFields[name] = nil }
        }
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.accept] = "application/json"
        request.body = .bytes(Array(body))
        return request
    }

    /// Divides an answer.
    ///
    /// One that says that the whole request had no effect lets the members be sent alone; one that may change
    /// later, or asks for other credentials, is that of each member.
    private func answer(_ arrivals: [Arrival], _ response: TransportResponse) async throws {
        let status = response.head.status.code
        var bytes: [UInt8] = []
        for try await chunk in response.body { bytes += chunk }
        if (200..<300).contains(status) {
            let items = try BatchItem.answers(in: bytes)
            for (index, arrival) in arrivals.enumerated() {
                guard let item = items["\(index + 1)"] else {
                    arrival.answer.resume(
                        throwing: TransportError(
                            .connectionLost, stage: .receivingBody,
                            reason: "the answer of the batch has none for the request"))
                    continue
                }
                arrival.answer.resume(returning: item.response(to: arrival.request))
            }
            return
        }
        let isOfAll =
            [401, 408, 425, 429].contains(status)
            || (500..<600).contains(status)
                && status != 501
        for arrival in arrivals {
            arrival.answer.resume(
                returning: isOfAll
                    ? TransportResponse(
                        to: arrival.request, head: response.head, body: ResponseBody(bytes)) : nil)
        }
    }
}

/// A request of a batch, or an answer in one.
private struct BatchItem {
    /// The request as an object of JSON.
    let json: [String: Any]

    init(_ request: TransportRequest, _ fields: [String: String], id: String) throws {
        var json: [String: Any] = [
            "id": id, "method": request.method.rawValue, "url": request.url.requestTarget,
        ]
        if !fields.isEmpty { json["headers"] = fields }
        if let bytes = request.body.bytes, !bytes.isEmpty {
            json["body"] = try JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
        }
        self.json = json
    }

    struct Answer {
        let status: Int
        let fields: [String: String]
        let body: [UInt8]

        func response(to request: TransportRequest) -> TransportResponse {
            var head = HTTPResponse(status: HTTPResponse.Status(code: status))
            for (name, value) in fields {
                if let name = HTTPField.Name(name) { head.headerFields[name] = value }
            }
            if !body.isEmpty, head.headerFields[.contentType] == nil {
                head.headerFields[.contentType] = "application/json"
            }
            return TransportResponse(to: request, head: head, body: ResponseBody(body))
        }
    }

    /// Returns the answers in the body of a batch by the ID of their request.
    static func answers(in bytes: [UInt8]) throws -> [String: Answer] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let responses = object["responses"] as? [[String: Any]]
        else {
            throw TransportError(
                .connectionLost, stage: .receivingBody, reason: "the answer of the batch is no list"
            )
        }
        var answers: [String: Answer] = [:]
        for item in responses {
            guard let id = item["id"] as? String, let status = item["status"] as? Int,
                (100..<600).contains(status)
            else { continue }
            var body: [UInt8] = []
            if let value = item["body"], !(value is NSNull) {
                let data = try JSONSerialization.data(
                    withJSONObject: value, options: .fragmentsAllowed)
                body = Array(data)
            }
            answers[id] = Answer(
                status: status, fields: item["headers"] as? [String: String] ?? [:], body: body)
        }
        return answers
    }
}
