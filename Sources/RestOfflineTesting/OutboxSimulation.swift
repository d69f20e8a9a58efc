// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestOffline
import RestOutbox
import RestPersistence
import RestTesting
import RestTransport
import Synchronization

/// The state that a schedule shares with its server and its outboxes.
final class SimulationSource: Sendable {
    let hasFaults = Mutex(true)
    /// The random numbers of delays.
    let jitter: Mutex<SplitMix64>

    init(seed: UInt64) { jitter = Mutex(SplitMix64(seed: seed &+ 1)) }
}

/// The schedule of a seed: a server, and processes that have one file open.
///
/// Its state is that of one run. Steps follow one another; those during a request are performed while the pass of the
/// sender waits for it.
actor OutboxSimulation {
    /// A process that has the file open.
    struct Client: Sendable {
        let store: ManagedObjectStore
        let api: ObjectManager
        let outbox: Outbox
    }

    let simulator: OutboxSimulator
    let seed: UInt64
    let model: ManagedObjectModel
    let directory: URL
    /// The clock of the clients, whose date is corrected at times.
    let clock = ManualClock()
    let serverClock = ManualClock()
    let server: SimulatedAPI
    var random: SplitMix64
    var clients: [Client] = []
    var active = 0
    var principal: Principal?
    var ledger = SimulationLedger()
    var steps: [String] = []
    var isHealing = false
    /// A Boolean value that indicates whether a list is being loaded, during which the sender may work.
    var isReloading = false
    /// A Boolean value that indicates whether the sender works.
    var isPassing = false
    /// The number of passes of senders.
    var passCount = 0
    /// The passes by the numbers of their requests.
    ///
    /// A request of a process that has crashed can go on after its pass.
    private var passes: [Int: Int] = [:]
    /// The task of the actions during a request.
    var duringRequest: Task<Void, Never>?
    /// A failure while a request was on its way.
    var failure: (any Error)?
    let source: SimulationSource

    init(_ simulator: OutboxSimulator, seed: UInt64) throws {
        self.simulator = simulator
        self.seed = seed
        model = try ManagedObjectModel(simulator.entities)
        random = SplitMix64(seed: seed)
        let source = SimulationSource(seed: seed)
        self.source = source
        directory = FileManager.default.temporaryDirectory
            .appending(path: "OutboxSimulation-\(UUID().uuidString)")
        let chosen = SimulatedAPI.Plan.random(
            seed: seed, probability: simulator.faultProbability, of: simulator.faults)
        let plan = SimulatedAPI.Plan { request, index in
            guard source.hasFaults.withLock(\.self), let fault = chosen.choice(request, index)
            else {
                return nil
            }
            // Two executions of a creation without a key are not the client's.
            let isOnce =
                request.method == .post && request.headerFields[.idempotencyKey] == nil
                || request.headerFields[.ifNoneMatch] == "*"
            return fault == .duplicate && isOnce ? nil : fault
        }
        server = SimulatedAPI(simulator.behavior, plan: plan, clock: serverClock)
    }

    // MARK: Running

    func run() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        server.hold { [weak self] in await self?.meet($0, isExecuted: false) }
        server.holdAnswers { [weak self] in await self?.meet($0, isExecuted: true) }
        principal = simulator.principals.first ?? nil
        let range = simulator.clientCounts
        let count = range.lowerBound + random.next(below: range.count)
        for _ in 0..<count { clients.append(try await open()) }
        do {
            for _ in 0..<simulator.stepCount {
                try await step()
                try await check()
            }
            try await heal()
        } catch {
            await end()
            if error is OutboxSimulationError || error is CancellationError { throw error }
            throw OutboxSimulationError(seed: seed, steps: steps, violations: ["\(error)"])
        }
        await end()
    }

    private func end() async {
        server.hold(nil)
        server.holdAnswers(nil)
        for client in clients {
            await client.outbox.close()
            try? client.store.close()
        }
    }

    static func credentials(of principal: Principal?) -> String {
        principal.map { "principal \($0)" } ?? "none"
    }

    func open() async throws -> Client {
        let store = try await ManagedObjectStore(
            at: directory.appending(path: "store.sqlite"), model: model)
        let api = try manager()
        var configuration = simulator.configuration
        configuration.concurrentRequestCount = 1
        configuration.startsPaused = true
        // Corrections of the clock shorten the wait for a request that is executed late.
        configuration.longestRequestLife += .seconds(300)
        configuration.randomNumber = { [source] in source.jitter.withLock { $0.next() } }
        let outbox = try await Outbox(
            store: store, manager: api, configuration: configuration,
            sending: simulator.declarations)
        return Client(store: store, api: api, outbox: outbox)
    }

    func manager() throws -> ObjectManager {
        var client = try HTTPClient(
            baseURL: "https://simulation.example.com/", transport: server)
        client.clock = clock
        client.principal = principal
        client.defaultHeaders[.authorization] = Self.credentials(of: principal)
        let api = try ObjectManager(client: client, requestFormat: .json)
        try simulator.configure(api)
        return api
    }

    // MARK: Checking

    func check() async throws {
        if let failure { throw failure }
        let client = clients[active]
        let audit: OutboxAudit
        do {
            audit = try await client.outbox.audit()
        } catch let error as PersistenceError where error.code == .storeClosed {
            return
        }
        followKeys()
        var found = ledger.violations(audit, server, isMine: client.outbox.keepsEdits)
        for invariant in simulator.invariants {
            let server = server
            let holds = try await client.store.read { try invariant.holds($0, server) }
            if !holds { found.append(invariant.name) }
        }
        guard found.isEmpty else {
            throw OutboxSimulationError(seed: seed, steps: steps, violations: found)
        }
    }

    /// Follows rows that other rows have taken over.
    private func followKeys() {
        for client in clients {
            ledger.follow { client.store.content.database.currentKey(of: $0) }
        }
    }

    // MARK: Requests

    /// Calls ``hold(_:isExecuted:)`` in a task of its own.
    ///
    /// The task of a sender is cancelled when its store is closed, and does not wait any more.
    private func meet(_ request: SimulatedRequest, isExecuted: Bool) async {
        let task = Task { await self.hold(request, isExecuted: isExecuted) }
        duringRequest = task
        await task.value
    }

    /// Notes a request, and lets others act before it is executed or answered.
    private func hold(_ request: SimulatedRequest, isExecuted: Bool) async {
        do {
            if request.isWrite {
                if !isExecuted { passes[request.number] = passCount }
                guard isPassing, passes[request.number] == passCount else { return }
                if !isExecuted {
                    let outbox = clients[active].outbox
                    let audit = try await outbox.audit()
                    followKeys()
                    ledger.noteArrival(request, audit, outbox.sentModel)
                }
                if isHealing || random.next(below: 3) > 0 { return }
                try await actDuringRequest()
                try await check()
            } else if isReloading, !isPassing, isExecuted, !isHealing, random.next(below: 3) == 0 {
                isReloading = false
                try await pass()
                try await check()
            }
        } catch let error as PersistenceError where error.code == .storeClosed {
            return
        } catch {
            failure = failure ?? error
        }
    }
}
