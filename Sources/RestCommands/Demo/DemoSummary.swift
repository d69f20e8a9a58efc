// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Rows that were written, and rows that needed no writing.
struct RowChanges: Sendable, Equatable, Encodable {
    var inserted = 0
    var updated = 0
    var deleted = 0
    var unchanged = 0

    /// Whether anything was written.
    var isEmpty: Bool { inserted == 0 && updated == 0 && deleted == 0 }

    static func += (left: inout RowChanges, right: RowChanges) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.deleted += right.deleted
        left.unchanged += right.unchanged
    }
}

/// What the demonstration did, for programs.
struct DemoSummary: Sendable, Encodable {
    /// What one step did.
    struct Step: Sendable, Encodable {
        let name: String
        let seconds: Double
        let requests: Int
        let bytes: Int
        let changes: RowChanges

        private enum CodingKeys: String, CodingKey {
            case name
            case seconds
            case requests
            case bytes
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(seconds, forKey: .seconds)
            try container.encode(requests, forKey: .requests)
            try container.encode(bytes, forKey: .bytes)
            // The counts stand beside the rest, not in an object of their own.
            try changes.encode(to: encoder)
        }
    }

    /// Whether every step held.
    var ok: Bool { error == nil }
    /// Path of the database.
    let database: String
    var steps: [Step] = []
    /// Why the demonstration ended before its last step.
    var error: String?

    private enum CodingKeys: String, CodingKey {
        case ok
        case database
        case steps
        case error
    }

    init(database: String) { self.database = database }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ok, forKey: .ok)
        try container.encode(database, forKey: .database)
        try container.encode(steps, forKey: .steps)
        try container.encode(error, forKey: .error)
    }

    /// The summary as one line of JSON.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
