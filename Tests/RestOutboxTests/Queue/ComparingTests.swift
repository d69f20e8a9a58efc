// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestRows
import Testing

/// Deletions of objects that were read before.
@Suite struct ComparingTests {
    /// Returns a scenario in which a deleted folder is to be read.
    private static func scenario(
        _ policy: EditPolicy, isMonotonic: Bool = false
    ) throws -> OutboxScenario {
        let scenario = try OutboxScenario(
            isConditional: true, isMonotonic: isMonotonic, policy: policy)
        scenario.addFolder("old", version: 4)
        scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(scenario.exchange(412, scenario.folder))
        return scenario
    }

    private func compare(
        _ scenario: OutboxScenario, _ name: String, version: Int64 = 5
    ) -> [DiscardedEntry] {
        scenario.queue.compare(
            OutboxScenario.image(name), ofDeleted: scenario.folder, version: .integer(version),
            at: scenario.now)
    }

    @Test(arguments: [("old", OutboxEntry.State.waiting), ("theirs", .conflicted)])
    func differenceParksDeletion(_ name: String, _ state: OutboxEntry.State) throws {
        let scenario = try Self.scenario(.fail)
        #expect(compare(scenario, name).isEmpty)
        #expect(scenario.entries(scenario.folder).map(\.state) == [state])
        // Without a version, the object is read again.
        #expect((scenario.edits(scenario.folder)?.version == nil) == (state == .conflicted))
    }

    @Test func editThatWinsIsSent() throws {
        let scenario = try Self.scenario(.contextWins)
        #expect(compare(scenario, "theirs").isEmpty)
        #expect(scenario.entries(scenario.folder).map(\.state) == [.waiting])
        #expect(scenario.edits(scenario.folder)?.version == .integer(5))
    }

    @Test func serverThatWinsRestoresObject() throws {
        for policy in [EditPolicy.storeWins, .fork] {
            let scenario = try Self.scenario(policy)
            let ended = compare(scenario, "theirs")
            #expect(ended.map(\.entry.kind) == [.deletion])
            let edits = try #require(scenario.edits(scenario.folder))
            #expect(edits.local?["name"] == .text("theirs"))
            #expect(edits.needsReading)
            #expect(edits.entries.isEmpty)
        }
    }

    @Test func olderImageIsNoConflict() throws {
        let scenario = try Self.scenario(.storeWins, isMonotonic: true)
        #expect(compare(scenario, "older", version: 3).isEmpty)
        #expect(scenario.kinds(scenario.folder) == [.deletion])
    }
}
