// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestTesting

/// The entities of a simulation: folders in folders or boxes with a cover, boxes, and notes, which need a
/// folder or a box and have folders and boxes as tags.
///
/// The server gives the identities of folders or of notes at least, to which objects of both refer.
enum SimulatedModel {
    static let references: Set<String> = ["parent", "cover", "folder"]
    static let attributes = ["a", "b"]
    /// The entities that inherit from that of containers.
    static let containers: Set<String> = ["folders", "boxes"]

    static func make(using random: inout SplitMix64) throws -> SentModel {
        func remedy(_ count: Int) -> CreationRemedy {
            switch random.next(below: count) {
            case 0: .idempotencyKey(lifetime: SimulatedServer.keyLifetime)
            case 1: .recognized(probeCount: 3)
            case 2: .atMostOnce
            default: .clientIdentity
            }
        }
        func flag() -> Bool { random.next(below: 2) == 0 }
        let folders = remedy(4)
        let notes = remedy(folders == .clientIdentity ? 3 : 4)
        return try SentModel([
            SentEntity(
                "folders", properties: ["a", "b", "code"],
                references: [
                    "parent": .init(destination: "containers", isRequired: false),
                    "cover": .init(destination: "notes", isRequired: false),
                ], creation: folders, isConditional: flag(), isMonotonic: flag(),
                ancestors: ["containers"]),
            SentEntity(
                "boxes", properties: ["a", "b", "code"], creation: remedy(4),
                isConditional: flag(), isMonotonic: flag(), ancestors: ["containers"]),
            SentEntity(
                "notes", properties: ["a", "b", "code"],
                references: ["folder": .init(destination: "containers", isRequired: true)],
                members: ["tags": .init(destination: "containers", isMemberwise: flag())],
                creation: notes, isConditional: flag(), isMonotonic: flag()),
        ])
    }
}
