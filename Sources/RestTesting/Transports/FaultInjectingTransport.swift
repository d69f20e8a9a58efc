// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestTransport
import Synchronization

/// A transport that injects faults into the exchanges of another transport.
///
/// ```swift
/// let clock = ManualClock()
/// let transport = FaultInjectingTransport(
///     stub, plan: .inOrder([.reset(at: .receivingHeader), nil]), clock: clock)
/// client.transport = transport
/// // The first request fails with connectionLost, all others reach the stub.
/// ```
///
/// Its errors are those of a transport that encounters the fault on the wire.
public final class FaultInjectingTransport: HTTPTransport {
    /// A plan that chooses the fault of each exchange.
    public typealias Plan = FaultPlan<TransportRequest, TransportFault>

    private let transport: any HTTPTransport
    private let plan: Plan
    private let clock: any TransportClock
    private let log = Mutex<[TransportFault?]>([])

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - transport: The inner transport.
    ///   - plan: The plan that chooses the fault of each exchange.
    ///   - clock: The clock of delays and pauses.
    public init(
        _ transport: any HTTPTransport, plan: Plan, clock: any TransportClock = .system
    ) {
        self.transport = transport
        self.plan = plan
        self.clock = clock
    }

    /// The faults of the exchanges so far, in the order in which these started; `nil` for none.
    public var faults: [TransportFault?] { log.withLock { $0 } }

    /// Sends a request over the inner transport and injects its fault.
    ///
    /// - Throws: ``/RestTransport/TransportError`` of the fault, the errors of the inner transport, and
    ///   `CancellationError` if the task is cancelled during a delay.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let fault = log.withLock { log in
            let fault = plan.choice(request, log.count)
            log.append(fault)
            return fault
        }
        guard let fault else { return try await transport.send(request) }
        switch fault.storage {
        case .reset(.connecting):
            throw error(.connectionFailed, .connecting, request, fault)
        case .reset(.sendingRequest):
            throw error(.connectionLost, .sendingRequest, request, fault)
        case .reset(.receivingHeader):
            _ = try await transport.send(request)
            throw error(.connectionLost, .receivingHeader, request, fault)
        case .garbage:
            _ = try await transport.send(request)
            throw error(.malformedResponse, .receivingHeader, request, fault)
        case .status(let status, let fields):
            return .stub(status, headerFields: fields, to: request)
        case .delay(let time, .receivingHeader):
            let response = try await transport.send(request)
            try await clock.sleep(until: clock.now + time)
            return response
        case .delay(let time, let stage) where stage != .receivingBody:
            try await clock.sleep(until: clock.now + time)
            return try await transport.send(request)
        case .wrongLength(let difference):
            var response = try await transport.send(request)
            let body = try await response.collect()
            response.head.headerFields[.contentLength] = "\(max(0, body.count + difference))"
            response.body = ResponseBody(source: FaultyBody([.bytes(body)], clock: clock))
            return response
        default:
            var response = try await transport.send(request)
            let body = try await response.collect()
            response.body = ResponseBody(
                source: FaultyBody(steps(of: fault, body, request), clock: clock))
            return response
        }
    }

    /// Returns the steps of the body source for a fault.
    private func steps(
        of fault: TransportFault, _ body: [UInt8], _ request: TransportRequest
    ) -> [FaultyBody.Step] {
        switch fault.storage {
        case .truncation(let count) where count < body.count:
            return [
                .bytes(Array(body.prefix(max(0, count)))),
                .failure(error(.incompleteBody, .receivingBody, request, fault)),
            ]
        case .reset:
            return [
                .bytes(Array(body.prefix(body.count / 2))),
                .failure(error(.incompleteBody, .receivingBody, request, fault)),
            ]
        case .slowBody(let count, let pause):
            return stride(from: 0, to: body.count, by: max(1, count)).flatMap {
                start -> [FaultyBody.Step] in
                [.pause(pause), .bytes(Array(body[start...].prefix(max(1, count))))]
            }
        case .garbageBody(let seed):
            var random = SplitMix64(seed: seed)
            return [.bytes(body.map { _ in UInt8(truncatingIfNeeded: random.next()) })]
        case .delay(let time, _):
            return [.pause(time), .bytes(body)]
        default:
            return [.bytes(body)]
        }
    }

    private func error(
        _ code: TransportError.Code, _ stage: TransportError.Stage, _ request: TransportRequest,
        _ fault: TransportFault
    ) -> TransportError {
        TransportError(code, stage: stage, request: request, reason: "injected: \(fault)")
    }
}

/// A body source that performs a list of steps.
private final class FaultyBody: ResponseBodySource {
    enum Step {
        case bytes([UInt8])
        case pause(Duration)
        case failure(TransportError)
    }

    private let steps: Mutex<ArraySlice<Step>>
    private let clock: any TransportClock

    init(_ steps: [Step], clock: any TransportClock) {
        self.steps = Mutex(steps[...])
        self.clock = clock
    }

    func next() async throws -> [UInt8]? {
        while let step = steps.withLock({ $0.popFirst() }) {
            switch step {
            case .bytes(let bytes):
                if !bytes.isEmpty { return bytes }
            case .pause(let time):
                try await clock.sleep(until: clock.now + time)
            case .failure(let error):
                throw error
            }
        }
        return nil
    }

    func cancel() {
        steps.withLock { $0 = [] }
    }
}
