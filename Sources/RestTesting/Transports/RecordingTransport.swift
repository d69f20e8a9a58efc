// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPTypes
public import RestTransport
import Synchronization

/// A transport that keeps what another one brings in a file, or answers from such a file.
///
/// ```swift
/// let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
///     .appendingPathComponent("Fixtures/issues.json")
/// let transport = isRecording
///     ? RecordingTransport(recording: CurlTransport(), to: file)
///     : try RecordingTransport(replaying: file)
/// let client = try HTTPClient(baseURL: "https://api.example.com/", transport: transport)
/// ```
///
/// A recording is JSON that people read, change and keep beside their tests. Credentials are not in
/// it: see ``RecordingRedaction``. Exchanges that fail are not recorded; statuses are.
public final class RecordingTransport: HTTPTransport {
    /// How a recorded exchange is found for a request.
    public enum Matching: Sendable, Hashable {
        /// Requests come in the order of the recording; another one is an error.
        case inOrder
        /// Method, address and, where it was recorded, the body are the same. Exchanges that are
        /// alike answer in their order, and the last of them again and again.
        case byRequest
    }

    private enum Source: Sendable {
        case recording(any HTTPTransport, URL)
        case replaying(Matching)
    }

    private struct State {
        var exchanges: [RecordedExchange] = []
        var played: Set<Int> = []
    }

    private let source: Source
    private let redaction: RecordingRedaction
    private let state: Mutex<State>

    /// Makes a transport that records.
    ///
    /// - Parameters:
    ///   - transport: What answers.
    ///   - file: Where the recording goes: written anew, whole, after each exchange.
    ///   - redaction: What is kept.
    public init(
        recording transport: any HTTPTransport, to file: URL,
        redaction: RecordingRedaction = .default
    ) {
        source = .recording(transport, file)
        self.redaction = redaction
        state = Mutex(State())
    }

    /// Makes a transport that answers from a recording and asks nobody else.
    ///
    /// - Parameters:
    ///   - file: The recording.
    ///   - matching: How an exchange is found for a request.
    ///   - redaction: What was kept; requests are compared in the same way.
    /// - Throws: ``RecordingError`` that says what is wrong with the file.
    public init(
        replaying file: URL, matching: Matching = .byRequest,
        redaction: RecordingRedaction = .default
    ) throws(RecordingError) {
        source = .replaying(matching)
        self.redaction = redaction
        state = Mutex(State(exchanges: try RecordingFile.read(file)))
    }

    /// What is recorded so far.
    public var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    /// What of a recording no request has asked for yet, so that a test can expect none.
    public var unplayed: [RecordedExchange] {
        state.withLock { state in
            state.exchanges.indices.filter { !state.played.contains($0) }
                .map { state.exchanges[$0] }
        }
    }

    /// Answers a request.
    ///
    /// - Throws: ``RecordingError`` when the recording has no answer or cannot be written, and what
    ///   the other transport throws.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        switch source {
        case .recording(let transport, let file):
            var response = try await transport.send(request)
            let body = try await response.collect()
            try state.withLock { state in
                state.exchanges.append(RecordedExchange(request, response.head, body, redaction))
                try RecordingFile.write(state.exchanges, to: file)
            }
            response.body = ResponseBody(body)
            return response
        case .replaying(let matching):
            let exchange = try state.withLock { state in
                try Self.play(request, matching, redaction, in: &state)
            }
            return .stub(
                exchange.head.status, headerFields: exchange.head.headerFields,
                body: exchange.body, to: request)
        }
    }

    private static func play(
        _ request: TransportRequest, _ matching: Matching, _ redaction: RecordingRedaction,
        in state: inout State
    ) throws -> RecordedExchange {
        let exchanges = state.exchanges
        let asked =
            "\(request.method.rawValue) "
            + redaction.withoutSecrets(request.url.requestText)
        let position: Int
        switch matching {
        case .inOrder:
            position = state.played.count
            guard position < exchanges.count else {
                throw RecordingError(
                    "\(asked) is request \(position + 1), but only \(exchanges.count) are recorded")
            }
            guard exchanges[position].answers(request, redaction) else {
                throw RecordingError(
                    "\(asked) is request \(position + 1), but \(exchanges[position].name) is "
                        + "recorded there\(asked == exchanges[position].name ? bodyHint : "")")
            }
        case .byRequest:
            let matches = exchanges.indices.filter { exchanges[$0].answers(request, redaction) }
            guard let match = matches.first(where: { !state.played.contains($0) }) ?? matches.last
            else {
                let names = exchanges.prefix(20).map(\.name)
                let hint = exchanges.contains { $0.name == asked } ? bodyHint : ""
                throw RecordingError(
                    "\(asked) is not recorded\(hint); there are: "
                        + (names.isEmpty ? "none" : names.joined(separator: ", ")))
            }
            position = match
        }
        state.played.insert(position)
        return exchanges[position]
    }

    private static let bodyHint = ", with another body"
}
