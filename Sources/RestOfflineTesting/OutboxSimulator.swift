// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestNetworking
public import RestOffline
public import RestPersistence
public import RestTesting
public import RestTransport

/// A test of edits offline by random schedules, with a store, an outbox and a simulated server.
///
/// ```swift
/// var simulator = OutboxSimulator(Note.self) { api in
///     try api.add(Route(Note.self, "notes", methods: .post), Route(Note.self, "notes/:id"))
/// } sending: {
///     Sends(Note.self).precondition(.version(\.revision)).creation(.idempotencyKey(lifetime: .seconds(3600)))
/// } actions: {
///     SimulatedAction.edit("write") { context, _ in _ = try Note.insert(into: context) }
///     SimulatedAction.edit("rename") { context, random in
///         try context.fetch(Note.self).randomElement(using: &random)?.title = "\(random.next(below: 5))"
///     }
///     SimulatedAction.reload(Note.self, at: "notes")
/// }
/// try await simulator.run(seeds: 0..<100)
/// ```
///
/// A schedule has a file of its own and is determined by its seed. Its steps are the actions, passes of the sender,
/// crashes of the program, changes of the user, full disks, and times that pass. The server loses, duplicates
/// and delays requests and answers, and actions occur while a request is on its way. After each step these rules are
/// checked:
///
/// 1. Each edit is in an entry and has a base, and each base has an entry.
/// 2. The effects on an object occur in the order in which its edits were saved.
/// 3. A key has one body, and a request is sent under the principal that has saved its values.
/// 4. An edit is shown until it is sent, unless a declared policy replaces it; a deleted object is not shown.
/// 5. An identity is in one row, and an object that the program has created is not in two.
/// 6. No row vanishes without the user, and no reference dangles.
/// 7. A creation makes one object at most, and no request has a value that was not saved.
///
/// At the end the faults stop. Then everything is sent that the server does not refuse, and after a reload of all
/// lists the rows equal those of a new store.
///
/// The server has the type of a JSON API: see `SimulatedAPI` of `RestTesting`. Faults that slow requests down must
/// not be among ``faults``, as the time passes only between steps.
public struct OutboxSimulator: Sendable {
    /// The rules of the server.
    public var behavior = SimulatedAPI.Behavior()

    /// The configuration of the outbox; its delays are those of programs, because the clock is simulated.
    public var configuration = OutboxConfiguration()

    /// The number of steps before the faults stop; 60 by default.
    public var stepCount = 60

    /// The principals between which the program changes; by default `nil` only.
    public var principals: [Principal?] = [nil]

    /// The faults of the network and the server.
    public var faults: [SimulatedFault] = [
        .unreachable, .lostRequest, .lostAnswer, .lostAnswer, .duplicate, .restart,
        .lateExecution(after: .seconds(20)), .lateExecution(after: .seconds(290)), .status(401),
        .status(408), .status(429, headerFields: [.retryAfter: "30"]), .status(503),
        .status(500, isExecuted: true),
    ]

    /// The probability of a fault of a request; 0.4 by default.
    public var faultProbability = 0.4

    /// The number of processes that have the file open; by default 1 or 2, as the seed says.
    public var clientCounts = 1...2

    let entities: [any ManagedEntity.Type]
    let configure: @Sendable (ObjectManager) throws -> Void
    let declarations: @Sendable () -> SentEntities
    let actions: [SimulatedAction]
    private(set) var invariants: [SimulatedInvariant] = []

    /// Creates a simulator.
    ///
    /// - Parameters:
    ///   - entities: The classes of the store.
    ///   - configure: A closure that adds the routes and descriptors of the program to a manager.
    ///   - declarations: The declarations of the outbox.
    ///   - actions: The actions of the user and of other clients, and the lists of the program; at least one.
    public init(
        _ entities: any ManagedEntity.Type...,
        configure: @escaping @Sendable (ObjectManager) throws -> Void,
        @OutboxBuilder sending declarations: @escaping @Sendable () -> SentEntities,
        @SimulatedActionBuilder actions: () -> [SimulatedAction]
    ) {
        self.entities = entities
        self.configure = configure
        self.declarations = declarations
        self.actions = actions()
    }

    /// Adds a rule of the program that must hold after every step.
    ///
    /// - Parameters:
    ///   - name: The name in a failure.
    ///   - holds: A closure that reads a snapshot of the store and the resources of the server.
    public mutating func check(
        _ name: String,
        _ holds: @escaping @Sendable (ManagedObjectContext, SimulatedAPI) throws -> Bool
    ) {
        invariants.append(SimulatedInvariant(name: name, holds: holds))
    }

    /// Runs a schedule for each seed.
    ///
    /// - Throws: ``OutboxSimulationError`` with the seed and the steps of the first schedule in which a rule does not
    ///   hold; errors of the declarations.
    public func run(seeds: some Sequence<UInt64>) async throws {
        for seed in seeds {
            let simulation = try OutboxSimulation(self, seed: seed)
            try await simulation.run()
        }
    }
}

/// The failure of a simulated schedule.
public struct OutboxSimulationError: Error, Sendable, CustomStringConvertible {
    /// The seed, which repeats the schedule.
    public let seed: UInt64
    /// The steps so far.
    public let steps: [String]
    /// The rules that do not hold.
    public let violations: [String]

    /// The seed, the rules and the steps, one a line.
    public var description: String {
        """
        seed \(seed), step \(steps.count):
        \(violations.map { "  \($0)" }.joined(separator: "\n"))
        after the steps
        \(steps.map { "  \($0)" }.joined(separator: "\n"))
        """
    }
}
