// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import RestCompression
import RestTransport
import Synchronization

/// One request and its response, between the task that waits and the callbacks of an event loop.
final class AsyncHTTPClientExchange: HTTPClientResponseDelegate, ResponseBodySource {
    typealias Response = Void
    typealias ClientTask = AsyncHTTPClient.HTTPClient.Task<Void>

    private enum Decoding {
        case none
        case inflating(Inflater)
        case impossible
    }

    private struct State {
        var times: ExchangeTimes
        var meter: ResponseMeter
        var decoding = Decoding.none
        var task: ClientTask?
        var feeding: Task<Void, Never>?
        // Invariant: set by the feeding task, taken by whoever resumes it, both under the lock, so
        // each continuation is resumed exactly once.
        var part: CheckedContinuation<Bool, Never>?
        var alarm: Scheduled<Void>?
        var isRequestSent = false
        var isEnded = false

        /// What has come and is not decoded yet.
        var encoded: ArraySlice<UInt8> = []

        /// Kept until all that has come is handed over; nothing is read from the connection before.
        var demand: EventLoopPromise<Void>?
    }

    private enum Step {
        case hasNothingToDo
        case handsOver([UInt8])
        case asksForMore(EventLoopPromise<Void>)
        case fails(TransportError)
    }

    let request: TransportRequest
    private let limits: TransportLimits
    private let transport: AsyncHTTPClientTransport
    private let bufferedByteCount: Int
    private let pipe = ResponsePipe()
    private let state: Mutex<State>

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
                times: ExchangeTimes(limits: limits, stage: .connecting),
                meter: ResponseMeter(limits: limits)))
    }

    // MARK: The waiting task's side

    func response(
        to clientRequest: AsyncHTTPClient.HTTPClient.Request,
        through client: AsyncHTTPClient.HTTPClient
    ) async throws -> TransportResponse {
        try await pipe.response(to: request, of: self) {
            let task = client.execute(request: clientRequest, delegate: self)
            let isEnded = state.withLock { state in
                state.task = task
                return state.isEnded
            }
            if isEnded { task.cancel() }
            setAlarm(on: task.eventLoop)
            task.futureResult.whenFailure { self.fail($0) }
        }
    }

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
        eventLoop?.execute { self.handOver() }
    }

    // MARK: The event loop's side

    func didSendRequestHead(task: ClientTask, _ head: HTTPRequestHead) {
        let next: TransportError.Stage = request.body.isEmpty ? .receivingHeader : .sendingRequest
        state.withLock { state in
            // The response may be ahead of the request.
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
            // The end of a response without body, which is about to come, is lost on AsyncHTTPClient
            // when it waits for more, as long as the request is not complete.
            return task.eventLoop.scheduleTask(in: .milliseconds(10)) {}.futureResult
        } catch {
            end(with: error, keepsBody: false)
            return task.eventLoop.makeFailedFuture(error)
        }
    }

    private func read(_ head: HTTPResponseHead) throws(TransportError) -> HTTPResponse {
        guard (100...999).contains(head.status.code) else {
            throw malformed("the status line is not one", at: .receivingHeader)
        }
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        let refusal: TransportError? = state.withLock { state in
            state.times.noteAnswer(status: Int(head.status.code))
            // The empty line, and the status line with `HTTP/1.1 200 ` before the reason.
            var isWithin = state.meter.countLine(head.status.reasonPhrase.utf8.count + 17)
            for (name, value) in head.headers where isWithin {
                guard let fieldName = HTTPField.Name(name) else {
                    return malformed("a header line is not a field", at: .receivingHeader)
                }
                isWithin = state.meter.count(field: Array("\(name): \(value)\r\n".utf8)[...])
                fields.append(HTTPField(name: fieldName, value: value))
            }
            return state.meter.violation?.error(for: request, limits: limits)
        }
        if let refusal { throw refusal }
        state.withLock { state in
            if let coding = state.meter.coding {
                state.decoding = .inflating(Inflater(coding))
            } else if state.meter.hasForeignCoding {
                state.decoding = .impossible
            }
        }
        return HTTPResponse(
            status: HTTPResponse.Status(code: Int(head.status.code)), headerFields: fields)
    }

    func didReceiveBodyPart(task: ClientTask, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let demand = task.eventLoop.makePromise(of: Void.self)
        let isWanted = state.withLock { state in
            guard !state.isEnded else { return false }
            state.times.noteActivity()
            state.encoded = Array(buffer.readableBytesView)[...]
            state.demand = demand
            return true
        }
        if isWanted {
            handOver()
        } else {
            demand.fail(AsyncHTTPClient.HTTPClientError.cancelled)
        }
        return demand.futureResult
    }

    /// Hands over what has come, until the reader has enough.
    private func handOver() {
        while true {
            switch state.withLock({ nextStep(&$0) }) {
            case .hasNothingToDo:
                return
            case .asksForMore(let demand):
                demand.succeed()
                return
            case .fails(let error):
                end(with: error, keepsBody: false)
                return
            case .handsOver(let piece):
                let untaken = pipe.deliver(body: piece, isPaused: true, isComplete: false)
                if untaken >= bufferedByteCount {
                    _ = state.withLock { $0.times.suspend() }
                    // The reader may have taken everything between the delivery and this.
                    if pipe.isDrained { resume() }
                    return
                }
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        guard let demand = state.demand else { return .hasNothingToDo }
        var piece: [UInt8] = []
        var encodedByteCount = Int.max
        switch state.decoding {
        case .none:
            piece = Array(state.encoded)
            state.encoded = []
        case .impossible:
            return .fails(malformed("the body's coding is not known", at: .receivingBody))
        case .inflating(let inflater):
            do throws(Inflater.Fault) {
                piece = try inflater.decode(&state.encoded)
            } catch {
                return .fails(
                    ResponseMeter.Violation.undecodableBody.error(for: request, limits: limits))
            }
            encodedByteCount = inflater.encodedByteCount
        }
        if piece.isEmpty {
            state.demand = nil
            return .asksForMore(demand)
        }
        let isWithin = state.meter.count(bodyByteCount: piece.count) { encodedByteCount }
        if !isWithin, let violation = state.meter.violation {
            return .fails(violation.error(for: request, limits: limits))
        }
        return .handsOver(piece)
    }

    func didFinishRequest(task: ClientTask) {
        let isCut = state.withLock { state in
            if case .inflating(let inflater) = state.decoding { inflater.isCut } else { false }
        }
        if isCut {
            let violation = ResponseMeter.Violation.cutBody
            end(with: violation.error(for: request, limits: limits), keepsBody: true)
            return
        }
        let (alarm, feeding) = state.withLock { state in
            state.isEnded = true
            return (state.alarm, state.feeding)
        }
        alarm?.cancel()
        _ = pipe.deliver(body: [], isPaused: false, isComplete: true)
        endFeeding(feeding)
    }

    // MARK: The request's body

    /// Keeps the task that reads the request's body, to be cancelled when the exchange has ended.
    func keep(_ feeding: Task<Void, Never>) {
        let isEnded = state.withLock { state in
            state.feeding = feeding
            return state.isEnded
        }
        if isEnded { feeding.cancel() }
    }

    /// Keeps the one who waits until a part of the body has been sent.
    ///
    /// - Returns: Whether to send it: not when the exchange has ended, nor when the server has refused
    ///   the rest, where AsyncHTTPClient would only keep it.
    func begin(_ part: CheckedContinuation<Bool, Never>) -> Bool {
        let (isEnded, isRefused) = state.withLock { state in
            if !state.isEnded { state.part = part }
            return (state.isEnded, state.times.isRefused)
        }
        if isEnded { part.resume(returning: false) }
        return !isEnded && !isRefused
    }

    /// Lets the task go that reads the request's body, after all others know how the exchange ended.
    private func endFeeding(_ feeding: Task<Void, Never>?) {
        feeding?.cancel()
        endPart(isSent: false)
    }

    /// Tells the one who waits whether more can be sent.
    func endPart(isSent: Bool) {
        state.withLock { $0.part.take() }?.resume(returning: isSent)
    }

    /// Notes that the source of the request's body is asked for more, or has given it.
    func noteSource(isSlow: Bool) {
        state.withLock { $0.times.noteSource(isSlow: isSlow) }
    }

    // MARK: Ends

    private func fail(_ error: any Error) {
        let stage = state.withLock { $0.times.stage }
        end(
            with: TransportError(clientError: error, stage: stage, request: request),
            keepsBody: true)
    }

    /// Ends the exchange with an error, unless it has ended.
    func end(with error: any Error, keepsBody: Bool) {
        let (task, alarm, feeding, demand) = state.withLock { state in
            defer {
                state.isEnded = true
                state.demand = nil
                state.encoded = []
            }
            return (state.task, state.alarm, state.feeding, state.demand)
        }
        alarm?.cancel()
        pipe.fail(error, keepsBody: keepsBody)
        demand?.fail(error)
        task?.cancel()
        endFeeding(feeding)
    }

    private func malformed(_ reason: String, at stage: TransportError.Stage) -> TransportError {
        TransportError(.malformedResponse, stage: stage, request: request, reason: reason)
    }

    // MARK: Time

    /// Sets the alarm for the first time at which a limit could run out.
    private func setAlarm(on eventLoop: any EventLoop) {
        state.withLock { state in
            guard !state.isEnded, let deadline = state.times.earliestDeadline() else { return }
            let time = TimeAmount(max(.zero, deadline - .now))
            state.alarm = eventLoop.scheduleTask(in: time) { [weak self] in
                self?.checkTime(on: eventLoop)
            }
        }
    }

    private func checkTime(on eventLoop: any EventLoop) {
        if let error = state.withLock({ $0.times.expiry(of: request) }) {
            end(with: error, keepsBody: false)
        } else {
            setAlarm(on: eventLoop)
        }
    }
}
#endif
