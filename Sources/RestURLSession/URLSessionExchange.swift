// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its response, between the task that waits and the session's callbacks.
final class URLSessionExchange: ResponseBodySource {
    private struct State {
        var meter: ResponseMeter
        var times: ExchangeTimes
        var contentLength: Int?
        var isEncoded = false
        var receivedByteCount = 0
        var watch: Task<Void, Never>?
        #if !canImport(FoundationNetworking)
        var feed: URLSessionBodyFeed?
        #endif
    }

    let request: TransportRequest
    let limits: TransportLimits
    let task: URLSessionDataTask
    private let transport: URLSessionTransport
    private let bufferedByteCount: Int
    private let pipe = ResponsePipe()
    private let state: Mutex<State>
    /// Whether the session has announced the task's end; held while the task is cancelled.
    ///
    /// Foundation on Linux traps when a task is cancelled whose end it has announced and cleared away.
    /// It clears away after the announcement, so a cancellation made before comes through.
    private let hasEnded = Mutex(false)

    init(
        _ request: TransportRequest, transport: URLSessionTransport, task: URLSessionDataTask,
        bufferedByteCount: Int, start: ExchangeMoment
    ) {
        let limits = request.limits ?? .default
        self.request = request
        self.limits = limits
        self.transport = transport
        self.task = task
        self.bufferedByteCount = bufferedByteCount
        state = Mutex(
            State(
                meter: ResponseMeter(limits: limits),
                times: ExchangeTimes(limits: limits, stage: .receivingHeader, now: start)))
    }

    static func closed(_ request: TransportRequest) -> TransportError {
        TransportError(
            .closed, stage: .preparing, request: request, reason: "the transport was shut down")
    }

    // MARK: The waiting task's side

    func response(through bridge: URLSessionBridge) async throws -> TransportResponse {
        try await pipe.response(to: request, of: self) {
            bridge.add(self)
            // A body that was read first took its time from the total alone.
            state.withLock { $0.times.noteActivity() }
            task.resume()
            watch()
        }
    }

    func next() async throws -> [UInt8]? {
        try await pipe.next(of: self) { resume() }
    }

    func cancel() {
        end(with: CancellationError(), keepsBody: false)
    }

    private func resume() {
        let wasSuspended = state.withLock { $0.times.resume() }
        if wasSuspended { task.resume() }
    }

    // MARK: The session's side

    /// Notes that bytes of the request's body have left.
    func noteSending() {
        state.withLock { $0.times.noteActivity() }
    }

    #if !canImport(FoundationNetworking)
    /// Makes a stream of the request's body from its start, in place of one made before.
    ///
    /// - Returns: The stream; reading a body that can be had only once a second time ends the exchange.
    func makeBodyStream() -> InputStream {
        let feed = URLSessionBodyFeed(request.body, exchange: self)
        let old = state.withLock { state in
            defer { state.feed = feed }
            return state.feed
        }
        old?.cancel()
        feed.start()
        if !pipe.isWanted { feed.cancel() }
        return unsafe feed.input
    }

    /// Notes that the source of the request's body is asked for more, or has given it.
    func noteSource(isSlow: Bool) {
        state.withLock { $0.times.noteSource(isSlow: isSlow) }
    }
    #endif

    /// Takes the header.
    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            end(
                with: TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "what came is not an HTTP response"))
            return
        }
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.statusCode))
        let violation = state.withLock { state in
            state.times.noteAnswer(status: response.statusCode)
            for (name, value) in response.allHeaderFields {
                guard let name = name as? String, let value = value as? String,
                    let fieldName = HTTPField.Name(name)
                else { continue }
                for value in fieldName == .setCookie ? JoinedCookies.fields(of: value) : [value] {
                    head.headerFields.append(HTTPField(name: fieldName, value: value))
                }
                let line = Array("\(name): \(value)\r\n".utf8)
                if !state.meter.count(field: line[...]) { return state.meter.violation }
            }
            state.contentLength = state.meter.contentLength
            state.isEncoded = head.headerFields.contains(.contentEncoding)
            return nil
        }
        if let violation {
            end(with: violation.error(for: request, limits: limits))
        } else {
            _ = pipe.deliver(head: .parsed(head), body: [], isComplete: false)
        }
    }

    /// Takes a part of the body.
    func receive(_ data: Data) {
        let violation = state.withLock { state in
            state.times.noteActivity()
            state.receivedByteCount += data.count
            let encoded = state.contentLength ?? .max
            let isAccepted = state.meter.count(bodyByteCount: data.count) { encoded }
            return isAccepted ? nil : state.meter.violation
        }
        if let violation {
            end(with: violation.error(for: request, limits: limits))
            return
        }
        let untaken = pipe.deliver(body: Array(data), isPaused: true, isComplete: false)
        #if !canImport(FoundationNetworking)
        if untaken >= bufferedByteCount { suspend() }
        #else
        // Foundation on Linux traps when a task is suspended that has just come to its end.
        _ = untaken
        #endif
    }

    private func suspend() {
        let isNew = state.withLock { $0.times.suspend() }
        if isNew { task.suspend() }
        // The reader may have taken everything between the delivery and the suspension.
        if pipe.isDrained { resume() }
    }

    /// Takes the end.
    func finish(_ error: (any Error)?) {
        hasEnded.withLock { $0 = true }
        if let error {
            end(with: transportError(for: error), keepsBody: true)
            return
        }
        if times.stage == .receivingHeader {
            // On Linux a redirect that is not followed may end without its response having been
            // announced; a task that ends with none at all must not leave its reader waiting.
            guard let response = task.response else {
                end(
                    with: TransportError(
                        .connectionLost, stage: .receivingHeader, request: request,
                        reason: "the connection ended before a response"))
                return
            }
            receive(response)
        }
        let isShort = state.withLock { state in
            guard let length = state.contentLength, !state.isEncoded, request.method != .head
            else { return false }
            return state.receivedByteCount < length && state.receivedByteCount > 0
        }
        if isShort {
            end(
                with: TransportError(
                    .incompleteBody, stage: .receivingBody, request: request,
                    reason: "the connection ended early"), keepsBody: true)
            return
        }
        stopTasks()
        _ = pipe.deliver(body: [], isPaused: false, isComplete: true)
    }

    /// Ends the exchange with an error, unless it has ended.
    func end(with error: any Error, keepsBody: Bool = false) {
        stopTasks()
        if pipe.fail(error, keepsBody: keepsBody) {
            hasEnded.withLock { hasEnded in
                if !hasEnded { task.cancel() }
            }
        }
    }

    // MARK: Time

    /// What the time limits are judged by.
    var times: ExchangeTimes { state.withLock { $0.times } }

    func keep(_ watch: Task<Void, Never>) {
        state.withLock { $0.watch = watch }
        if !pipe.isWanted { stopTasks() }
    }

    private func stopTasks() {
        state.withLock { $0.watch }?.cancel()
        #if !canImport(FoundationNetworking)
        state.withLock { $0.feed }?.cancel()
        #endif
    }
}
