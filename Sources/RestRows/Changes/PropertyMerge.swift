// SPDX-License-Identifier: Apache-2.0

/// The result of merging an edit of a property with a value that others have set since.
package enum PropertyMerge: Sendable, Hashable {
    /// The edit applies: others have the value before it, or they lose.
    case edit
    /// The value of the others stays, which wins.
    case discard
    /// Both sides have the same value, so that there is nothing to edit.
    case agreement
    /// Both sides have changed the value, and this one has both changes.
    case merged(StoredValue)
    /// Both sides have set the property, and neither wins.
    case conflict
}

/// The kind of the edits of a property, which decides how two of them are combined.
package enum PropertyEditKind: Sendable, Hashable {
    /// The edit replaces the value.
    case value
    /// The edit has only added to a number.
    case count
    /// The edit has added members to a set and removed others; see ``MemberSet``.
    case members
}

/// A function that combines the values of both sides; it returns `nil` to let the policy decide.
package typealias PropertyCombination =
    @Sendable (_ base: StoredValue, _ mine: StoredValue, _ theirs: StoredValue) -> StoredValue?

extension MergePolicy {
    /// Merges an edit of a property with the value of others, which are the store, a parent, the layers below
    /// or the server.
    ///
    /// - Parameters:
    ///   - base: The value before the edit.
    ///   - mine: The value of the edit.
    ///   - theirs: The value of the others.
    ///   - kind: The kind of the edit.
    ///   - combine: A function that decides before the policy; `nil` for none.
    /// - Returns: The result.
    package func merge(
        base: StoredValue, mine: StoredValue, theirs: StoredValue, as kind: PropertyEditKind,
        combining combine: PropertyCombination? = nil
    ) -> PropertyMerge {
        if theirs == base { return .edit }
        // Equal counts of two sides are two counts.
        if kind == .count, let sum = theirs.adding(mine, minus: base) { return .merged(sum) }
        if theirs == mine { return .agreement }
        var combined = combine?(base, mine, theirs)
        if combined == nil, kind == .members {
            combined = MemberSet.merging(base: base, mine: mine, theirs: theirs)
        }
        if let combined {
            if combined == mine { return .edit }
            return combined == theirs ? .discard : .merged(combined)
        }
        return switch self {
        case .fail: .conflict
        case .storeWins: .discard
        case .contextWins: .edit
        }
    }
}
