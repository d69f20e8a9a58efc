// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestTransport
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A REST server in memory, with the faults that make clients lose edits or send them twice.
///
/// ```swift
/// let server = SimulatedAPI()
/// server.put("notes", 1, ["title": "A"])
/// server.fail("PATCH", .lostAnswer)
/// let client = try HTTPClient(baseURL: "https://api.example.com/", transport: server)
/// // run the client, and compare server.resources("notes") and server.effects with what it shows
/// ```
///
/// It is a transport, and ``withSocket(_:)`` serves the same resources on a port. Collections are at `notes`,
/// and exist without a declaration; resources are at `notes/1`, and commands such as POST `notes/1/publish`
/// count as a change. `PUT notes/1/labels/3` adds a member to a list in a resource, and DELETE removes it. The
/// server gives new resources their identities, counts versions, has entity tags, remembers idempotency keys
/// for a time, and executes `PUT` with `If-None-Match: *` once.
///
/// Faults are those of ``fail(_:_:)`` and ``reject(_:where:)``, then those of the plan. With a ``ManualClock`` and a
/// plan with a seed, everything is repeatable.
///
/// The identity of the state of one server.
public final class SimulatedAPI: HTTPTransport {
    /// A resource.
    public struct Resource: Sendable, Hashable {
        /// The identity.
        public internal(set) var identity: Document
        /// The members, without the identity and the version.
        public internal(set) var members: [String: Document]
        /// The version, which is counted from 1.
        public internal(set) var version = 1
        /// The time of the last change.
        public internal(set) var modified: Date
        /// The names of the executed commands.
        public internal(set) var commands: [String] = []

        /// The member with a name; `nil` if there is none.
        public subscript(member: String) -> Document? { members[member] }

        func isBefore(_ other: Resource) -> Bool {
            let (node, second) = (identity.root, other.identity.root)
            return (node.int64 ?? .max, node.string ?? "")
                < (second.int64 ?? .max, second.string ?? "")
        }
    }

    /// The effect of a request.
    public struct Effect: Sendable {
        /// The request.
        public let request: SimulatedRequest
        /// The collection.
        public let collection: String
        /// The identity of the resource, as in its path.
        public let identity: String
        /// The members that were written.
        public let members: [String: Document]
        /// The time.
        public let date: Date
    }

    fileprivate struct LateRequest {
        let request: SimulatedRequest
        let date: Date
    }

    fileprivate struct Rejection {
        let status: Int
        let condition: @Sendable (SimulatedRequest) -> Bool
    }

    /// A plan that chooses the fault of each request.
    public typealias Plan = FaultPlan<SimulatedRequest, SimulatedFault>

    /// A closure that is called with a request.
    public typealias Gate = @Sendable (SimulatedRequest) async -> Void

    fileprivate struct State {
        var resources: SimulatedResources
        var late: [LateRequest] = []
        var faults: [(method: String?, fault: SimulatedFault)] = []
        var rejections: [Rejection] = []
        var requests: [SimulatedRequest] = []
        var index = 0
        var isRunning = true
        /// The number of starts; a request in progress ends with its run.
        var run = 0
        var gate: Gate?
        var answerGate: Gate?

        /// Executes the late requests whose time has come.
        mutating func advance(to date: Date) {
            for request in late.sorted(by: { $0.date < $1.date }) where request.date <= date {
                _ = resources.execute(request.request, at: request.date)
            }
            late.removeAll { $0.date <= date }
        }
    }

    private let state: Mutex<State>
    private let plan: Plan
    /// The clock of the server.
    public let clock: any TransportClock

    /// Creates a server without resources.
    ///
    /// - Parameters:
    ///   - behavior: The rules of the server.
    ///   - plan: The faults; none by default.
    ///   - clock: The clock of the server, which ends keys and executes late requests.
    public init(
        _ behavior: Behavior = Behavior(), plan: Plan = .faultless,
        clock: any TransportClock = .system
    ) {
        state = Mutex(State(resources: SimulatedResources(behavior)))
        self.plan = plan
        self.clock = clock
    }

    private func withState<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let date = clock.date
        return state.withLock { state in
            state.advance(to: date)
            return body(&state)
        }
    }

    // MARK: Resources

    /// The rules of the server.
    public var behavior: Behavior {
        get { withState(\.resources.behavior) }
        set { withState { $0.resources.behavior = newValue } }
    }

    /// Returns the resources of a collection by identity, as in their paths.
    public func resources(_ collection: String) -> [String: Resource] {
        withState { $0.resources.collections[collection] ?? [:] }
    }

    /// The names of the collections that have or had resources.
    public var collections: [String] { withState { $0.resources.collections.keys.sorted() } }

    /// Returns a member of a resource; `nil` if there is none.
    public func value(
        _ collection: String, _ identity: some CustomStringConvertible & Sendable, _ member: String
    ) -> Document? {
        resources(collection)["\(identity)"]?[member]
    }

    /// Inserts or replaces a resource.
    public func put(
        _ collection: String, _ identity: some CustomStringConvertible & Sendable,
        _ members: [String: Document], version: Int = 1
    ) {
        let (date, name) = (clock.date, "\(identity)")
        let resource = Resource(
            identity: SimulatedResources.identity(name), members: members, version: version,
            modified: date)
        withState { $0.resources.set(collection, name, resource, at: date) }
    }

    /// Changes members of a resource, as another client does.
    public func change(
        _ collection: String, _ identity: some CustomStringConvertible & Sendable,
        _ members: [String: Document]
    ) {
        let (date, name) = (clock.date, "\(identity)")
        withState { $0.resources.change(collection, name, members, at: date) }
    }

    /// Removes a resource, as another client does.
    public func remove(
        _ collection: String, _ identity: some CustomStringConvertible & Sendable
    ) {
        let (date, name) = (clock.date, "\(identity)")
        withState { $0.resources.set(collection, name, nil, at: date) }
    }

    // MARK: Requests

    /// The effects of requests, in their order; changes as of another client are none.
    public var effects: [Effect] { withState(\.resources.effects) }

    /// The requests that have arrived, in their order.
    public var received: [SimulatedRequest] { withState(\.requests) }

    /// The requests that have arrived, each as its method, path and body in one line.
    public var requests: [String] { received.map(\.description) }

    /// The values of the field `Authorization` in the requests that have arrived.
    public var credentials: Set<String> {
        Set(received.compactMap { $0.headerFields[.authorization] })
    }

    // MARK: Faults

    /// Adds a fault for the next request of a method, or of any method.
    public func fail(_ method: String? = nil, _ fault: SimulatedFault) {
        withState { $0.faults.append((method, fault)) }
    }

    /// Refuses the requests that meet a condition, from now on.
    public func reject(
        _ status: Int, where condition: @escaping @Sendable (SimulatedRequest) -> Bool
    ) {
        withState { $0.rejections.append(Rejection(status: status, condition: condition)) }
    }

    /// Refuses no more requests by a condition.
    public func acceptAll() { withState { $0.rejections = [] } }

    /// Calls a closure before each request is executed; `nil` ends that.
    public func hold(_ gate: Gate?) { withState { $0.gate = gate } }

    /// Calls a closure after each request is executed, before it is answered; `nil` ends that.
    public func holdAnswers(_ gate: Gate?) { withState { $0.answerGate = gate } }

    /// Stops the server: requests in progress are cut, and no connection is established.
    public func stop() {
        withState { state in
            state.isRunning = false
            state.run += 1
            if state.resources.behavior.forgetsKeysAtRestart { state.resources.forgetKeys() }
        }
    }

    /// Starts the server again.
    public func start() { withState { $0.isRunning = true } }

    /// Stops and starts the server.
    public func restart() {
        stop()
        start()
    }

    // MARK: Answering

    /// Returns the answer to a request.
    ///
    /// - Throws: `TransportError` as a transport does that has no answer.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var body: [UInt8] = []
        for try await chunk in request.body.chunks { body += chunk }
        let received = SimulatedRequest(
            method: request.method, target: request.url.requestTarget,
            headerFields: request.headerFields, body: body)
        let answer = try await answer(to: received)
        return .stub(
            .init(code: answer.status), headerFields: answer.headerFields, body: answer.body,
            to: request)
    }

    func answer(to request: SimulatedRequest) async throws -> SimulatedAnswer {
        let arrival = withState { state in Result { try state.arrive(request, plan) } }
        let (fault, number, run, gate) = try arrival.get()
        var request = request
        request.number = number
        if let gate { await gate(request) }
        let latency = withState(\.resources.behavior.latency)
        if latency > .zero { try await clock.sleep(until: clock.now + latency) }
        switch fault?.storage {
        case .lostRequest: throw Self.lost
        case .restart:
            restart()
            throw Self.lost
        case .lateExecution(let delay):
            let date = clock.date.addingTimeInterval(delay / .seconds(1))
            withState { $0.late.append(LateRequest(request: request, date: date)) }
            throw Self.lost
        case .lostAnswer:
            _ = try await perform(request, in: run)
            throw Self.lost
        case .status(let status, let fields, let body, let isExecuted):
            if isExecuted { _ = try await perform(request, in: run) }
            return .json(body, status: status, headerFields: fields)
        case .duplicate: _ = try await perform(request, in: run)
        case .slowRequest(let delay): try await clock.sleep(until: clock.now + delay)
        case .slowAnswer, .unreachable, nil: break
        }
        let answer = try await perform(request, in: run)
        if let gate = withState(\.answerGate) { await gate(request) }
        if case .slowAnswer(let delay) = fault?.storage {
            try await clock.sleep(until: clock.now + delay)
        }
        guard withState({ $0.run == run }) else { throw Self.lost }
        return answer
    }

    /// Executes a request, or the parts of one, each with faults of its own.
    private func perform(
        _ request: SimulatedRequest, in run: Int
    ) async throws -> SimulatedAnswer {
        guard request.method == .post, request.path == behavior.batchPath else {
            return try execute(request, in: run)
        }
        guard let parts = request.batchParts else { return .json("{}", status: 400) }
        var answers: [Document] = []
        for (id, part) in parts {
            // A part without an answer is missing.
            if let answer = try? await self.answer(to: part) { answers.append(answer.part(id)) }
        }
        let body = Document.object([("responses", .array(answers))])
        return .json(JSONWriter.compact.text(of: body), status: 200)
    }

    /// Executes a request, unless the server has been restarted since its arrival.
    private func execute(
        _ request: SimulatedRequest, in run: Int
    ) throws(TransportError) -> SimulatedAnswer {
        let date = clock.date
        let answer = withState { state -> SimulatedAnswer? in
            guard state.run == run else { return nil }
            if let rule = state.rejections.first(where: { $0.condition(request) }) {
                return .json("{}", status: rule.status)
            }
            return state.resources.execute(request, at: date)
        }
        guard let answer else { throw Self.lost }
        return answer
    }

    private static var lost: TransportError {
        TransportError(.connectionLost, stage: .receivingHeader, reason: "the answer is lost")
    }
}

extension SimulatedAPI.State {
    /// Notes a request.
    ///
    /// - Returns: Its fault, its number, the run of the server, and what it waits for.
    mutating func arrive(
        _ request: SimulatedRequest, _ plan: SimulatedAPI.Plan
    ) throws(TransportError) -> (
        fault: SimulatedFault?, number: Int, run: Int, gate: SimulatedAPI.Gate?
    ) {
        let refused = TransportError(
            .connectionFailed, stage: .connecting, reason: "the server cannot be reached")
        guard isRunning else { throw refused }
        var fault: SimulatedFault?
        let method = request.method.rawValue
        if let next = faults.firstIndex(where: { $0.method == nil || $0.method == method }) {
            fault = faults.remove(at: next).fault
        } else {
            fault = plan.choice(request, index)
            index += 1
        }
        if fault == .unreachable { throw refused }
        var request = request
        request.number = requests.count
        requests.append(request)
        return (fault, request.number, run, gate)
    }
}
