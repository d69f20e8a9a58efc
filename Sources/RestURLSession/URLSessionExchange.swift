// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its response, shared by the waiting task and the callbacks of the session.
final class URLSessionExchange: ResponseBodySource {
    private struct State {
        var meter: ResponseMeter
        var times: ExchangeTimeouts
        var contentLength: Int?
        var isEncoded = false
        var receivedByteCount = 0
        var timeoutTask: Task<Void, Never>?
        #if !canImport(FoundationNetworking)
        var bodyWriter: BodyStreamWriter?
        #endif
    }

    let request: TransportRequest
    let limits: TransportLimits
    let task: URLSessionDataTask
    private let transport: URLSessionTransport
    private let bufferedByteCount: Int
    private let pipe = ResponsePipe()
    private let state: Mutex<State>
    /// A Boolean value that indicates whether the session has reported the end of the task, locked while
    /// the task is cancelled.
    ///
    /// Foundation on Linux traps if a task is cancelled after it was reported and removed. It is
    /// removed after the report, so a cancellation before the report is safe.
    private let hasEnded = Mutex(false)

    init(
        _ request: TransportRequest, transport: URLSessionTransport, task: URLSessionDataTask,
        bufferedByteCount: Int, start: ExchangeInstant
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
                times: ExchangeTimeouts(limits: limits, stage: .receivingHeader, now: start)))
    }

    static func closed(_ request: TransportRequest) -> TransportError {
        TransportError(
            .closed, stage: .preparing, request: request, reason: "the transport was shut down")
    }

    // MARK: Called by the waiting task

    func response(through delegate: SessionDelegate) async throws -> TransportResponse {
        try await pipe.response(to: request, of: self) {
            delegate.add(self)
            // Reading the body before counts toward the total timeout only.
            state.withLock { $0.times.noteActivity() }
            task.resume()
            startTimeoutTask()
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

    // MARK: Called by the session

    /// Records that bytes of the request body were sent.
    func noteSending() {
        state.withLock { $0.times.noteActivity() }
    }

    #if !canImport(FoundationNetworking)
    /// Creates a stream of the request body from its start, which replaces an earlier one.
    ///
    /// - Returns: The stream. Reading a body a second time that is not replayable ends the exchange.
    func makeBodyStream() -> InputStream {
        let writer = BodyStreamWriter(request.body, exchange: self)
        let previous = state.withLock { state in
            defer { state.bodyWriter = writer }
            return state.bodyWriter
        }
        previous?.cancel()
        writer.start()
        if !pipe.isWanted { writer.cancel() }
        return unsafe writer.input
    }

    /// Records whether the exchange waits for the source of the request body.
    func noteSource(isSlow: Bool) {
        state.withLock { $0.times.noteSource(isSlow: isSlow) }
    }
    #endif

    /// Receives the header.
    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            end(
                with: TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "the response is not valid HTTP"))
            return
        }
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.statusCode))
        let failure: TransportError? = state.withLock { state in
            state.times.noteResponse(status: response.statusCode)
            for (name, value) in response.allHeaderFields {
                guard let name = name as? String, let value = value as? String,
                    let fieldName = HTTPField.Name(name)
                else { continue }
                for value in fieldName == .setCookie ? CombinedSetCookieField.split(value) : [value]
                {
                    do throws(TransportError) {
                        try TextFields.append(
                            value, for: fieldName, to: &head.headerFields, of: request)
                    } catch {
                        return error
                    }
                }
                let line = Array("\(name): \(value)\r\n".utf8)
                if !state.meter.count(field: line[...]) {
                    return state.meter.violation?.error(for: request, limits: limits)
                }
            }
            state.contentLength = state.meter.contentLength
            state.isEncoded = head.headerFields.contains(.contentEncoding)
            return nil
        }
        if let failure {
            end(with: failure)
        } else {
            _ = pipe.deliver(head: .parsed(head), body: [], isComplete: false)
        }
    }

    /// Receives a part of the body.
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
        let unreadByteCount = pipe.deliver(body: Array(data), isPaused: true, isComplete: false)
        #if !canImport(FoundationNetworking)
        if unreadByteCount >= bufferedByteCount { suspend() }
        #else
        // Foundation on Linux traps if a task is suspended that has just ended.
        _ = unreadByteCount
        #endif
    }

    private func suspend() {
        let didSuspend = state.withLock { $0.times.suspend() }
        if didSuspend { task.suspend() }
        // The reader may have read everything between the delivery and the suspension.
        if pipe.isDrained { resume() }
    }

    /// Receives the end of the task.
    func finish(_ error: (any Error)?) {
        hasEnded.withLock { $0 = true }
        if let error {
            end(with: transportError(for: error), keepsBody: true)
            return
        }
        if times.stage == .receivingHeader {
            // On Linux a redirect that is not followed may end before its response was reported. A task
            // that ends without any response must not leave its reader waiting.
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

    /// Ends the exchange with an error, unless it has ended already.
    func end(with error: any Error, keepsBody: Bool = false) {
        stopTasks()
        if pipe.fail(error, keepsBody: keepsBody) {
            hasEnded.withLock { hasEnded in
                if !hasEnded { task.cancel() }
            }
        }
    }

    // MARK: Timeouts

    /// The times by which the time limits are enforced.
    var times: ExchangeTimeouts { state.withLock { $0.times } }

    func setTimeoutTask(_ task: Task<Void, Never>) {
        state.withLock { $0.timeoutTask = task }
        if !pipe.isWanted { stopTasks() }
    }

    private func stopTasks() {
        state.withLock { $0.timeoutTask }?.cancel()
        #if !canImport(FoundationNetworking)
        state.withLock { $0.bodyWriter }?.cancel()
        #endif
    }
}
