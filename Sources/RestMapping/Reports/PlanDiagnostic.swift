// SPDX-License-Identifier: Apache-2.0

/// An error or warning in a declared mapping, found when it is compiled.
public struct PlanDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The kind of diagnostic.
    public enum Code: String, Sendable {
        /// The type has no property of that name.
        case unknownProperty
        /// Two declarations assign one property.
        case ambiguousDestination
        /// A relationship names a property that does not hold mapped objects, or a dotted name leads
        /// through a property that does not hold a single one.
        case notARelationship
        /// The nested mapping is for another type than the property holds.
        case wrongSubject
        /// A property that holds one object declares a union.
        case invalidAssignmentPolicy
        /// A transform, a default or a validation is of another type than the property.
        case unsuitableType
        /// The components of a source are in an order without meaning.
        case invalidSource
        /// A source names a nesting attribute that the mapping does not have.
        case unknownPlaceholder
        /// An earlier matcher matches whenever this one does. A warning.
        case unreachableMatcher
    }

    /// The kind of diagnostic.
    public let code: Code
    /// The name of the mapping.
    public let mapping: String
    /// The name of the invalid property or source.
    public let name: String
    /// The name that was probably meant, or the one that is required.
    public let suggestion: String?

    /// A Boolean value that indicates whether the mapping can be compiled nevertheless.
    public var isWarning: Bool { code == .unreachableMatcher }

    /// The diagnostic in one line.
    public var description: String {
        let hint = suggestion.map { "; did you mean '\($0)'?" } ?? ""
        switch code {
        case .unknownProperty: return "\(mapping) has no property '\(name)'\(hint)"
        case .ambiguousDestination: return "\(mapping).\(name) is mapped more than once"
        case .notARelationship: return "\(mapping).\(name) does not hold mapped objects"
        case .wrongSubject: return "\(mapping).\(name) does not hold what its mapping builds\(hint)"
        case .invalidAssignmentPolicy:
            return "\(mapping).\(name) holds one object, so it cannot be a union"
        case .unsuitableType:
            return "\(mapping).\(name) is of another type than its \(suggestion ?? "mapping")"
        case .invalidSource:
            let reason = suggestion.map { ": \($0)" } ?? ""
            return "\(mapping): '\(name)' is not a valid source\(reason)"
        case .unknownPlaceholder:
            return "\(mapping): '\(name)' names no nesting attribute\(hint)"
        case .unreachableMatcher:
            return "\(mapping): the matcher of '\(name)' follows one that matches first"
        }
    }
}

extension PlanDiagnostic {
    /// Returns the known name nearest to a misspelt one, if it is near enough.
    static func nearest(to name: String, among known: [String]) -> String? {
        let ranked = known.map { (name: $0, distance: distance(name, $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, name.count / 3) ? best.name : nil
    }

    /// Returns the number of edits between two names, ignoring case; two swapped letters are one edit.
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.lowercased())
        let right = Array(right.lowercased())
        var rows = [Array(0...right.count)]
        for index in left.indices {
            var row = [index + 1]
            for column in right.indices {
                let isSame = left[index] == right[column]
                var edits = min(
                    rows[index][column] + (isSame ? 0 : 1), rows[index][column + 1] + 1,
                    row[column] + 1)
                if index > 0, column > 0, left[index] == right[column - 1],
                    left[index - 1] == right[column]
                {
                    edits = min(edits, rows[index - 1][column - 1] + 1)
                }
                row.append(edits)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
