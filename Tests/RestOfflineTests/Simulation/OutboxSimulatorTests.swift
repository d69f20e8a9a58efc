// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestOfflineTesting
import RestTesting
import TestSupport
import Testing

/// Random schedules of a program with a real store, and the proof that the rules can fail.
@Suite struct OutboxSimulatorTests {
    /// The schedules: as many as `RESTKIT_SIMULATIONS` says, 20 by default, or only that of
    /// `RESTKIT_SIMULATION_SEED`.
    private static let seeds: Range<UInt64> =
        TestEnvironment.number("RESTKIT_SIMULATION_SEED").map { $0..<$0 + 1 }
        ?? 0..<(TestEnvironment.number("RESTKIT_SIMULATIONS") ?? 20)

    private static func simulator(_ remedy: CreationRule) -> OutboxSimulator {
        var simulator = OutboxSimulator(
            Folder.self, Note.self, Photo.self, Person.self,
            configure: { try OfflineFixture.addRoutes(to: $0) },
            sending: {
                Sends(Folder.self).creation(remedy)
                Sends(Note.self).precondition(.version(\.revision)).creation(remedy)
                Sends(Photo.self).creation(.clientIdentity)
                Sends(Person.self).creation(remedy)
            },
            actions: {
                SimulatedAction.edit("insert a note") { context, random in
                    let note = try Note.insert(into: context, title: "\(random.next(below: 9))")
                    note.folder = try context.fetch(Folder.self).randomElement(using: &random)
                }
                SimulatedAction.edit("insert a folder") { context, random in
                    _ = try Folder.insert(into: context, name: "\(random.next(below: 9))")
                }
                SimulatedAction.edit("insert a photo") { context, random in
                    _ = try Photo.insert(into: context, id: random.next(below: 1 << 30), name: "p")
                }
                SimulatedAction.edit("insert two people") { context, random in
                    let first = try Person.insert(into: context, name: "\(random.next(below: 9))")
                    first.friend = try Person.insert(into: context, name: "friend")
                    first.friend?.friend = first
                }
                SimulatedAction.edit("change a note") { context, random in
                    let note = try context.fetch(Note.self).randomElement(using: &random)
                    if random.next(below: 2) == 0 {
                        note?.title = "\(random.next(below: 9))"
                    } else {
                        note?.text = "\(random.next(below: 9))"
                    }
                }
                SimulatedAction.edit("move a note") { context, random in
                    let note = try context.fetch(Note.self).randomElement(using: &random)
                    note?.folder = try context.fetch(Folder.self).randomElement(using: &random)
                }
                SimulatedAction.edit("rename a folder") { context, random in
                    let folder = try context.fetch(Folder.self).randomElement(using: &random)
                    folder?.name = "\(random.next(below: 9))"
                }
                SimulatedAction.edit("delete a note") { context, random in
                    guard let note = try context.fetch(Note.self).randomElement(using: &random)
                    else { return }
                    context.delete(note)
                }
                SimulatedAction.elsewhere("another client changes a note") { server, random in
                    let notes = server.resources("notes").keys.sorted()
                    guard let id = notes.randomElement(using: &random) else { return }
                    server.change("notes", id, ["text": .string("x\(random.next(below: 9))")])
                }
                SimulatedAction.reload(Note.self, at: "notes")
                SimulatedAction.reload(Folder.self, at: "folders")
                SimulatedAction.reload(Person.self, at: "people")
                SimulatedAction.reload(Photo.self, at: "photos")
            })
        simulator.behavior.references = ["folder": "folders", "friend": "people"]
        simulator.principals = [Principal("a"), Principal("b")]
        return simulator
    }

    @Test(arguments: 0..<3)
    func rulesHoldAfterEveryStep(remedy: Int) async throws {
        let rule: CreationRule =
            remedy == 0 ? .atMostOnce : .idempotencyKey(lifetime: .seconds(86_400))
        try await Self.simulator(rule).run(seeds: Self.seeds.filter { $0 % 3 == remedy })
    }

    @Test func seedRepeatsSchedule() async throws {
        var simulator = Self.simulator(.idempotencyKey(lifetime: .seconds(86_400)))
        simulator.stepCount = 20
        simulator.check("nothing is inserted") { context, _ in
            try context.count(Note.self) + context.count(Folder.self) + context.count(Person.self)
                + context.count(Photo.self) == 0
        }
        var errors: [OutboxSimulationError] = []
        for _ in 0..<2 {
            do {
                try await simulator.run(seeds: 0..<50)
            } catch let error as OutboxSimulationError {
                errors.append(error)
            }
        }
        try #require(errors.count == 2)
        #expect(errors[0].seed == errors[1].seed)
        #expect(errors[0].steps == errors[1].steps)
        #expect(errors[0].violations == ["nothing is inserted"])
        #expect(errors[0].description.hasPrefix("seed \(errors[0].seed), step "))
    }

    @Test func serverThatForgetsKeysIsNoticed() async throws {
        var simulator = Self.simulator(.idempotencyKey(lifetime: .seconds(86_400)))
        simulator.behavior.keyLifetime = .seconds(1)
        simulator.faults = [.lostAnswer]
        let error = await #expect(throws: OutboxSimulationError.self) {
            try await simulator.run(seeds: 0..<50)
        }
        #expect(error?.violations.isEmpty == false)
    }
}
