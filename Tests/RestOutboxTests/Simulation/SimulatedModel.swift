// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestTesting

/// The entities of a simulation: folders in folders with a cover, and notes, which need a folder.
///
/// The server gives the identities of one of them at least, to which objects of both refer.
enum SimulatedModel {
    static let references: Set<String> = ["parent", "cover", "folder"]
    static let attributes = ["a", "b"]

    static func make(using random: inout SplitMix64) throws -> SentModel {
        func remedy(_ count: Int) -> CreationRemedy {
            switch random.next(below: count) {
            case 0: .idempotencyKey(lifetime: SimulatedServer.keyLifetime)
            case 1: .recognized(probeCount: 3)
            case 2: .atMostOnce
            default: .clientIdentity
            }
        }
        let folders = remedy(4)
        let notes = remedy(folders == .clientIdentity ? 3 : 4)
        return try SentModel([
            SentEntity(
                "folders", properties: ["a", "b", "code"],
                references: [
                    "parent": .init(destination: "folders", isRequired: false),
                    "cover": .init(destination: "notes", isRequired: false),
                ], creation: folders, isConditional: random.next(below: 2) == 0,
                isMonotonic: random.next(below: 2) == 0),
            SentEntity(
                "notes", properties: ["a", "b", "code"],
                references: ["folder": .init(destination: "folders", isRequired: true)],
                creation: notes, isConditional: random.next(below: 2) == 0,
                isMonotonic: random.next(below: 2) == 0),
        ])
    }
}
