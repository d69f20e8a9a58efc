// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import RestCompression
import RestTransport
import Synchronization

/// One request and its response, shared by the waiting task and the callbacks of an event loop.
final class AsyncHTTPClientExchange: HTTPClientResponseDelegate, ResponseBodySource {
    typealias Response = Void
    typealias ClientTask = AsyncHTTPClient.HTTPClient.Task<Void>

    enum Decoding {
        case none
        case inflating(Inflater)
        case unsupported
    }

    struct State {
        var times: ExchangeTimeouts
        var meter: ResponseMeter
        var decoding = Decoding.none
        var task: ClientTask?
        var sendingTask: Task<Void, Never>?
        // Invariant: set by the sending task and taken by the function that resumes it, both under the
        // lock, so each continuation is resumed exactly once.
        var partContinuation: CheckedContinuation<Bool, Never>?
        var deadlineTimer: Scheduled<Void>?
        var executionCount = 0

        /// The time when the head of the request was sent.
        var start: NIODeadline?
        var isRequestSent = false
        var isEnded = false

        /// A Boolean value that indicates whether an error has ended the exchange.
        var hasFailed = false

        /// The received bytes that have not been decoded yet.
        var encoded: ArraySlice<UInt8> = []

        /// The promise that lets the connection read on, kept until all received bytes are delivered.
        var readPromise: EventLoopPromise<Void>?
    }

    private enum DeliveryStep {
        case idle
        case deliver([UInt8])
        case readMore(EventLoopPromise<Void>)
        case fail(TransportError)
    }

    let request: TransportRequest
    private let limits: TransportLimits
    private let transport: AsyncHTTPClientTransport
    private let bufferedByteCount: Int
    private let pipe = ResponsePipe()
    let state: Mutex<State>

    init(
        _ request: TransportRequest, transport: AsyncHTTPClientTransport, bufferedByteCount: Int
    ) {
        let limits = request.limits ?? .default
        self.request = request
        self.limits = limits
        self.transport = transport
        self.bufferedByteCount = bufferedByteCount
        state = Mutex(
            State(
                times: ExchangeTimeouts(limits: limits, stage: .connecting),
                meter: ResponseMeter(limits: limits)))
    }

    // MARK: Called by the waiting task

    func response(
        to clientRequest: AsyncHTTPClient.HTTPClient.Request,
        through client: AsyncHTTPClient.HTTPClient
    ) async throws -> TransportResponse {
        try await pipe.response(to: request, of: self) {
            scheduleDeadline(on: execute(clientRequest, through: client))
        }
    }

    /// Gives the request to AsyncHTTPClient.
    ///
    /// - Returns: The event loop that calls this exchange.
    @discardableResult
    private func execute(
        _ clientRequest: AsyncHTTPClient.HTTPClient.Request,
        through client: AsyncHTTPClient.HTTPClient
    ) -> any EventLoop {
        let task = client.execute(request: clientRequest, delegate: self)
        let isEnded = state.withLock { state in
            state.task = task
            state.executionCount += 1
            return state.isEnded
        }
        if isEnded { task.cancel() }
        task.futureResult.whenFailure { error in
            if self.mayExecuteAgain(after: error) {
                self.execute(clientRequest, through: client)
            } else {
                self.fail(error)
            }
        }
        return task.eventLoop
    }

    /// Returns a Boolean value that indicates whether AsyncHTTPClient has given up a request before it
    /// sent any of it.
    ///
    /// It does if the connection that it has chosen goes away in the same moment.
    private func mayExecuteAgain(after error: any Error) -> Bool {
        guard error as? AsyncHTTPClient.HTTPClientError == .cancelled, !transport.isShutDown else {
            return false
        }
        return state.withLock { state in
            state.times.stage == .connecting && !state.isEnded
                && state.executionCount < Self.executionLimit
        }
    }

    /// The maximum number of connections that are chosen for a request.
    private static let executionLimit = 4

    func next() async throws -> [UInt8]? {
        try await pipe.next(of: self) { resume() }
    }

    func cancel() {
        end(with: CancellationError(), keepsBody: false)
    }

    private func resume() {
        let eventLoop = state.withLock { state in
            state.times.resume() ? state.task?.eventLoop : nil
        }
        eventLoop?.execute { self.deliverReceivedData() }
    }

    // MARK: Called on the event loop

    func didSendRequestHead(task: ClientTask, _ head: HTTPRequestHead) {
        let next: TransportError.Stage = request.body.isEmpty ? .receivingHeader : .sendingRequest
        state.withLock { state in
            state.start = .now()
            // The response may arrive before the request is sent.
            state.times.noteActivity(state.times.stage == .connecting ? next : nil)
        }
    }

    func didSendRequestPart(task: ClientTask, _ part: IOData) {
        state.withLock { $0.times.noteActivity() }
        endPart(isSent: true)
    }

    func didSendRequest(task: ClientTask) {
        state.withLock { state in
            state.isRequestSent = true
            state.times.noteActivity(
                state.times.stage == .receivingBody ? nil : .receivingHeader)
        }
    }

    func didReceiveHead(task: ClientTask, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        do throws(TransportError) {
            let response = try read(head)
            _ = pipe.deliver(head: .parsed(response), body: [], isComplete: false)
            guard state.withLock({ $0.times.isRefused && !$0.isRequestSent }) else {
                return task.eventLoop.makeSucceededVoidFuture()
            }
            // While the request is incomplete, AsyncHTTPClient loses the end of a response without a
            // body if it arrives after this future has completed. ``ResponseHeadValidator`` delivers
            // both together, and the delay lets the end arrive from another event loop.
            return task.eventLoop.scheduleTask(in: .milliseconds(10)) {}.futureResult
        } catch {
            end(with: error, keepsBody: false)
            return task.eventLoop.makeFailedFuture(error)
        }
    }

    private func read(_ head: HTTPResponseHead) throws(TransportError) -> HTTPResponse {
        guard (100...999).contains(head.status.code) else {
            throw malformed("the status line is not valid", at: .receivingHeader)
        }
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        let violation: TransportError? = state.withLock { state in
            state.times.noteResponse(status: Int(head.status.code))
            // The empty line, and the status line with `HTTP/1.1 200 ` before the reason phrase.
            var isWithin = state.meter.countLine(head.status.reasonPhrase.utf8.count + 17)
            for (name, value) in head.headers where isWithin {
                guard let fieldName = HTTPField.Name(name) else {
                    return malformed("a header line is not a valid field", at: .receivingHeader)
                }
                isWithin = state.meter.count(field: Array("\(name): \(value)\r\n".utf8)[...])
                do throws(TransportError) {
                    try TextFields.append(value, for: fieldName, to: &fields, of: request)
                } catch {
                    return error
                }
            }
            return state.meter.violation?.error(for: request, limits: limits)
        }
        if let violation { throw violation }
        state.withLock { state in
            if let coding = state.meter.coding {
                state.decoding = .inflating(Inflater(coding))
            } else if state.meter.hasUnsupportedCoding {
                state.decoding = .unsupported
            }
        }
        return HTTPResponse(
            status: HTTPResponse.Status(code: Int(head.status.code)), headerFields: fields)
    }

    func didReceiveBodyPart(task: ClientTask, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let promise = task.eventLoop.makePromise(of: Void.self)
        let isWanted = state.withLock { state in
            guard !state.isEnded else { return false }
            state.times.noteActivity()
            state.encoded = Array(buffer.readableBytesView)[...]
            state.readPromise = promise
            return true
        }
        if isWanted {
            deliverReceivedData()
        } else {
            promise.fail(AsyncHTTPClient.HTTPClientError.cancelled)
        }
        return promise.futureResult
    }

    /// Delivers received bytes until the buffer of the reader is full.
    private func deliverReceivedData() {
        while true {
            switch state.withLock({ nextStep(&$0) }) {
            case .idle:
                return
            case .readMore(let promise):
                promise.succeed()
                return
            case .fail(let error):
                end(with: error, keepsBody: false)
                return
            case .deliver(let bytes):
                let unreadByteCount = pipe.deliver(
                    body: bytes, isPaused: true, isComplete: false)
                if unreadByteCount >= bufferedByteCount {
                    _ = state.withLock { $0.times.suspend() }
                    // The reader may have read everything between the delivery and the suspension.
                    if pipe.isDrained { resume() }
                    return
                }
            }
        }
    }

    private func nextStep(_ state: inout State) -> DeliveryStep {
        guard let promise = state.readPromise else { return .idle }
        var bytes: [UInt8] = []
        var encodedByteCount = Int.max
        switch state.decoding {
        case .none:
            bytes = Array(state.encoded)
            state.encoded = []
        case .unsupported:
            return .fail(malformed("the content coding is not supported", at: .receivingBody))
        case .inflating(let inflater):
            do throws(Inflater.DataError) {
                bytes = try inflater.decode(&state.encoded)
            } catch {
                return .fail(
                    ResponseMeter.Violation.undecodableBody.error(for: request, limits: limits))
            }
            encodedByteCount = inflater.encodedByteCount
            if bytes.isEmpty { _ = state.meter.count(encodedByteCount: encodedByteCount) }
        }
        if !bytes.isEmpty {
            _ = state.meter.count(bodyByteCount: bytes.count) { encodedByteCount }
        }
        if let violation = state.meter.violation {
            return .fail(violation.error(for: request, limits: limits))
        }
        if bytes.isEmpty {
            state.readPromise = nil
            return .readMore(promise)
        }
        return .deliver(bytes)
    }

    func didFinishRequest(task: ClientTask) {
        if state.withLock({ $0.hasFailed }) { return }
        let isTruncated = state.withLock { state in
            if case .inflating(let inflater) = state.decoding {
                inflater.isTruncated
            } else {
                false
            }
        }
        if isTruncated {
            let violation = ResponseMeter.Violation.truncatedBody
            end(with: violation.error(for: request, limits: limits), keepsBody: true)
            return
        }
        let (timer, sendingTask) = state.withLock { state in
            state.isEnded = true
            return (state.deadlineTimer, state.sendingTask)
        }
        timer?.cancel()
        _ = pipe.deliver(body: [], isPaused: false, isComplete: true)
        endSending(sendingTask)
    }

    // MARK: Failures

    private func fail(_ error: any Error) {
        let stage = state.withLock { $0.times.stage }
        end(
            with: TransportError(
                clientError: error, stage: stage, request: request,
                isShutDown: transport.isShutDown),
            keepsBody: true)
    }

    /// Ends the exchange with an error, unless an error has ended it already.
    ///
    /// A silent connection is retired first, so that what the waiting task sends next uses another one.
    func end(with error: any Error, keepsBody: Bool) {
        let (isFirst, timer, start) = state.withLock { state in
            defer {
                state.isEnded = true
                state.hasFailed = true
            }
            // A server cannot send more than a slow reader allows.
            let start = state.times.isReaderSlow ? nil : state.start
            return (!state.hasFailed, state.deadlineTimer, start)
        }
        timer?.cancel()
        guard isFirst else { return }
        guard request.url.scheme == .https, let start else {
            report(error, keepsBody: keepsBody)
            return
        }
        transport.retireSilentConnections(of: request, since: start) {
            self.report(error, keepsBody: keepsBody)
        }
    }

    private func report(_ error: any Error, keepsBody: Bool) {
        let (task, sendingTask, promise) = state.withLock { state in
            defer {
                state.readPromise = nil
                state.encoded = []
            }
            return (state.task, state.sendingTask, state.readPromise)
        }
        pipe.fail(error, keepsBody: keepsBody)
        promise?.fail(error)
        task?.cancel()
        endSending(sendingTask)
    }

    private func malformed(_ reason: String, at stage: TransportError.Stage) -> TransportError {
        TransportError(.malformedResponse, stage: stage, request: request, reason: reason)
    }

    // MARK: Timeouts

    /// Schedules the timer for the earliest time at which a limit is exceeded.
    private func scheduleDeadline(on eventLoop: any EventLoop) {
        state.withLock { state in
            guard !state.isEnded, let deadline = state.times.earliestDeadline() else { return }
            let time = TimeAmount(max(.zero, deadline - .now))
            state.deadlineTimer = eventLoop.scheduleTask(in: time) { [weak self] in
                self?.checkDeadline(on: eventLoop)
            }
        }
    }

    private func checkDeadline(on eventLoop: any EventLoop) {
        if let error = state.withLock({ $0.times.expiry(of: request) }) {
            end(with: error, keepsBody: false)
        } else {
            scheduleDeadline(on: eventLoop)
        }
    }
}
#endif
