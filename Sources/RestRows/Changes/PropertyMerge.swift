// SPDX-License-Identifier: Apache-2.0

/// The result of merging an edit of a property with a value that others have set since.
package enum PropertyMerge: Sendable, Hashable {
    /// The edit applies: others have the value before it, or they lose.
    case edit
    /// The value of the others stays, which wins.
    case discard
    /// Both sides have the same value, so that there is nothing to edit.
    case agreement
    /// The edit has counted, and its difference is added to the value of the others.
    case sum(StoredValue)
    /// Both sides have set the property, and neither wins.
    case conflict
}

extension MergePolicy {
    /// Merges an edit of a property with the value of others, which are the store, a parent or the layers
    /// below.
    ///
    /// - Parameters:
    ///   - base: The value before the edit.
    ///   - mine: The value of the edit.
    ///   - theirs: The value of the others.
    ///   - isCounted: A Boolean value that indicates whether the edit has only added to the value before it.
    /// - Returns: The result.
    package func merge(
        base: StoredValue, mine: StoredValue, theirs: StoredValue, isCounted: Bool
    ) -> PropertyMerge {
        if theirs == base { return .edit }
        // Equal counts of two sides are two counts.
        if isCounted, let sum = theirs.adding(mine, minus: base) { return .sum(sum) }
        if theirs == mine { return .agreement }
        return switch self {
        case .fail: .conflict
        case .storeWins: .discard
        case .contextWins: .edit
        }
    }
}
