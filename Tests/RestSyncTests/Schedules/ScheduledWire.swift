// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestKit
import RestTesting

/// A transport whose requests wait until a schedule answers them.
final class ScheduledWire: Sendable {
    typealias Reply = CheckedContinuation<TransportResponse, any Error>

    enum Event: Sendable {
        case arrived(TransportRequest, Reply)
        case finished
    }

    private let events: AsyncStream<Event>
    private let source: AsyncStream<Event>.Continuation

    init() {
        (events, source) = AsyncStream.makeStream()
    }

    var transport: StubTransport {
        StubTransport { [source] request in
            try await withCheckedThrowingContinuation { reply in
                _ = source.yield(.arrived(request, reply))
            }
        }
    }

    /// Notes the end of a task that sends requests.
    func finish() { source.yield(.finished) }

    /// Returns the next arrival of a request, or the end of the task that would have sent one.
    @MainActor func next() async -> Event {
        for await event in events { return event }
        return .finished
    }
}

/// The answer of a server to a request.
struct ScheduledAnswer {
    enum Fate {
        case answered, failed, lost
    }

    var status = 200
    var body = ""
    var tag: String?
    var link: String?
    /// The representations of the body, or of the list that is not modified.
    var folios: [FolioRepresentation] = []

    /// Answers a request, or loses the answer.
    func send(_ fate: Fate, to request: TransportRequest, _ reply: ScheduledWire.Reply) {
        switch fate {
        case .lost:
            reply.resume(
                throwing: TransportError(
                    .connectionLost, stage: .receivingHeader, request: request, reason: "lost"))
        case .failed: reply.resume(returning: .stub(.internalServerError, to: request))
        case .answered:
            var fields: HTTPFields = [:]
            if status == 200 { fields[.contentType] = "application/json" }
            if let tag { fields[.eTag] = tag }
            if let link, let name = HTTPField.Name("Link") { fields[name] = link }
            reply.resume(
                returning: .stub(
                    HTTPResponse.Status(code: status), headerFields: fields,
                    body: Array(body.utf8), to: request))
        }
    }
}
