// SPDX-License-Identifier: Apache-2.0

/// One mistake in a declared mapping, found before any document is.
public struct PlanDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// What kind of mistake.
    public enum Code: String, Sendable {
        /// The type has no property of that name.
        case unknownProperty
        /// Two declarations feed one property.
        case ambiguousDestination
        /// A relationship names a property that does not hold mapped objects, or a dotted name
        /// leads through one that does not hold a single one.
        case notARelationship
        /// The nested mapping is for another type than the property holds.
        case wrongSubject
        /// Union was declared for a property that holds one object.
        case invalidAssignmentPolicy
        /// A transform, a default or a validation is of another type than the property.
        case unsuitableType
        /// The steps of a source are in no order that means something.
        case invalidSource
        /// A source names a nesting attribute that the mapping does not have.
        case unknownPlaceholder
        /// A matcher stands behind one that matches whenever it would. A warning.
        case unreachableMatcher
    }

    /// What kind of mistake.
    public let code: Code
    /// Name of the mapping.
    public let mapping: String
    /// The property or source that is wrong.
    public let name: String
    /// What was probably meant, or what is asked for.
    public let suggestion: String?

    /// Whether the mapping can be compiled nevertheless.
    public var isWarning: Bool { code == .unreachableMatcher }

    /// One line.
    public var description: String {
        let hint = suggestion.map { "; did you mean '\($0)'?" } ?? ""
        switch code {
        case .unknownProperty: return "\(mapping) has no property '\(name)'\(hint)"
        case .ambiguousDestination: return "\(mapping).\(name) is mapped more than once"
        case .notARelationship: return "\(mapping).\(name) does not hold mapped objects"
        case .wrongSubject: return "\(mapping).\(name) does not hold what its mapping builds\(hint)"
        case .invalidAssignmentPolicy:
            return "\(mapping).\(name) holds one object, which is no union of several"
        case .unsuitableType:
            return "\(mapping).\(name) is of another type than its \(suggestion ?? "mapping")"
        case .invalidSource: return "\(mapping): '\(name)' is no source: \(suggestion ?? "")"
        case .unknownPlaceholder:
            return "\(mapping): '\(name)' names no nesting attribute\(hint)"
        case .unreachableMatcher:
            return "\(mapping): the matcher of '\(name)' stands behind one that matches first"
        }
    }
}

extension PlanDiagnostic {
    /// The known name nearest to a misspelt one, if it is near at all.
    static func nearest(to name: String, among known: [String]) -> String? {
        let ranked = known.map { (name: $0, distance: distance(name, $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, name.count / 3) ? best.name : nil
    }

    /// Edits between two names, two swapped letters being one, without regard to case.
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.lowercased())
        let right = Array(right.lowercased())
        var rows = [Array(0...right.count)]
        for line in left.indices {
            var row = [line + 1]
            for column in right.indices {
                let isSame = left[line] == right[column]
                var edits = min(
                    rows[line][column] + (isSame ? 0 : 1), rows[line][column + 1] + 1,
                    row[column] + 1)
                if line > 0, column > 0, left[line] == right[column - 1],
                    left[line - 1] == right[column]
                {
                    edits = min(edits, rows[line - 1][column - 1] + 1)
                }
                row.append(edits)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
