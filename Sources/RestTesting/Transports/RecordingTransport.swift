// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPTypes
public import RestTransport
import Synchronization

/// A transport that records the exchanges of another transport in a file, or replays such a file.
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
/// A recording is a JSON file that can be read, edited and kept next to tests. ``RecordingRedaction``
/// keeps credentials out of it. Responses with any status are recorded; exchanges that fail with an error
/// are not.
public final class RecordingTransport: HTTPTransport {
    /// The strategy that finds the recorded exchange for a request.
    public enum Matching: Sendable, Hashable {
        /// Requests must arrive in the order of the recording.
        case inOrder
        /// The method, the URL and, if it was recorded, the body must be equal. Equal exchanges are
        /// replayed in their order, and the last of them repeatedly.
        case byRequest
    }

    private enum Source: Sendable {
        case recording(any HTTPTransport, URL)
        case replaying(Matching)
    }

    private struct State {
        var exchanges: [RecordedExchange] = []
        var replayedIndices: Set<Int> = []
    }

    private let source: Source
    private let redaction: RecordingRedaction
    private let state: Mutex<State>

    /// Creates a transport that records.
    ///
    /// - Parameters:
    ///   - transport: The transport whose exchanges are recorded.
    ///   - file: The file of the recording, which is rewritten after each exchange.
    ///   - redaction: The rules that keep secrets out of the recording.
    public init(
        recording transport: any HTTPTransport, to file: URL,
        redaction: RecordingRedaction = .default
    ) {
        source = .recording(transport, file)
        self.redaction = redaction
        state = Mutex(State())
    }

    /// Creates a transport that replays a recording and sends no requests.
    ///
    /// - Parameters:
    ///   - file: The file of the recording.
    ///   - matching: The strategy that finds the exchange for a request.
    ///   - redaction: The rules of the recording, which also apply to requests before comparison.
    /// - Throws: ``RecordingError`` if the file cannot be read or is not a recording.
    public init(
        replaying file: URL, matching: Matching = .byRequest,
        redaction: RecordingRedaction = .default
    ) throws(RecordingError) {
        source = .replaying(matching)
        self.redaction = redaction
        state = Mutex(State(exchanges: try RecordingFile.read(file)))
    }

    /// The recorded exchanges.
    public var exchanges: [RecordedExchange] { state.withLock { $0.exchanges } }

    /// The recorded exchanges that have not been replayed yet.
    ///
    /// A test can expect that none is left.
    public var unreplayedExchanges: [RecordedExchange] {
        state.withLock { state in
            state.exchanges.indices.filter { !state.replayedIndices.contains($0) }
                .map { state.exchanges[$0] }
        }
    }

    /// Records or replays an exchange.
    ///
    /// - Throws: ``RecordingError`` if the recording has no matching exchange or cannot be written, and
    ///   the errors of the recorded transport.
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
                try Self.replay(request, matching, redaction, in: &state)
            }
            return .stub(
                exchange.head.status, headerFields: exchange.head.headerFields,
                body: exchange.body, to: request)
        }
    }

    private static func replay(
        _ request: TransportRequest, _ matching: Matching, _ redaction: RecordingRedaction,
        in state: inout State
    ) throws -> RecordedExchange {
        let exchanges = state.exchanges
        let requested =
            "\(request.method.rawValue) "
            + redaction.redacted(request.url.requestText)
        let index: Int
        switch matching {
        case .inOrder:
            index = state.replayedIndices.count
            guard index < exchanges.count else {
                throw RecordingError(
                    "\(requested) is request \(index + 1), but only \(exchanges.count) are recorded"
                )
            }
            guard exchanges[index].matches(request, redaction) else {
                throw RecordingError(
                    "\(requested) is request \(index + 1), but \(exchanges[index].name) is "
                        + "recorded there\(requested == exchanges[index].name ? bodyHint : "")")
            }
        case .byRequest:
            let matches = exchanges.indices.filter { exchanges[$0].matches(request, redaction) }
            guard
                let match = matches.first(where: { !state.replayedIndices.contains($0) })
                    ?? matches.last
            else {
                let names = exchanges.prefix(20).map(\.name)
                let hint = exchanges.contains { $0.name == requested } ? bodyHint : ""
                throw RecordingError(
                    "\(requested) is not recorded\(hint); recorded exchanges: "
                        + (names.isEmpty ? "none" : names.joined(separator: ", ")))
            }
            index = match
        }
        state.replayedIndices.insert(index)
        return exchanges[index]
    }

    private static let bodyHint = ", with another body"
}
