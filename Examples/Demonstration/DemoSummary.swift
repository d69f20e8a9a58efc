// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The numbers of rows that were written or left unchanged.
struct RowChanges: Sendable, Equatable, Encodable {
    var inserted = 0
    var updated = 0
    var deleted = 0
    var unchanged = 0

    /// A Boolean value that indicates whether no row was written.
    var isEmpty: Bool { inserted == 0 && updated == 0 && deleted == 0 }

    static func += (left: inout RowChanges, right: RowChanges) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.deleted += right.deleted
        left.unchanged += right.unchanged
    }
}

/// The machine-readable summary of a demonstration.
struct DemoSummary: Sendable, Encodable {
    /// The summary of one step.
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
            // The counts are members of the same object.
            try changes.encode(to: encoder)
        }
    }

    /// A Boolean value that indicates whether every step succeeded.
    var ok: Bool { error == nil }
    /// The path of the database.
    let database: String
    var steps: [Step] = []
    /// The error that ended the demonstration early.
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

    /// Returns the summary as one line of JSON.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
