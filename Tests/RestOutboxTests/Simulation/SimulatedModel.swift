// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestTesting

/// The entities of a simulation: folders in folders with a cover, and notes, which need a folder.
enum SimulatedModel {
    static let references: Set<String> = ["parent", "cover", "folder"]
    static let attributes = ["a", "b"]

    static func make(using random: inout SplitMix64) throws -> SentModel {
        func remedy() -> CreationRemedy {
            switch random.next(below: 4) {
            case 0: .idempotencyKey(lifetime: SimulatedServer.keyLifetime)
            case 1: .clientIdentity
            case 2: .recognized(probeCount: 3)
            default: .atMostOnce
            }
        }
        return try SentModel([
            SentEntity(
                "folders", properties: ["a", "b", "code"],
                references: [
                    "parent": .init(destination: "folders", isRequired: false),
                    "cover": .init(destination: "notes", isRequired: false),
                ], creation: remedy(), isConditional: random.next(below: 2) == 0,
                isMonotonic: random.next(below: 2) == 0),
            SentEntity(
                "notes", properties: ["a", "b", "code"],
                references: ["folder": .init(destination: "folders", isRequired: true)],
                creation: remedy(), isConditional: random.next(below: 2) == 0,
                isMonotonic: random.next(below: 2) == 0),
        ])
    }
}
