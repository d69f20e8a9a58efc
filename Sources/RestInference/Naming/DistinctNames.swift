// SPDX-License-Identifier: Apache-2.0

/// Names that SQLite can distinguish.
struct DistinctNames {
    private var known: Set<String> = []

    /// Returns the name, or the name with a number if it is taken.
    mutating func distinct(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !known.insert(candidate.lowercased()).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }
}
