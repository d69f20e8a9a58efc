// SPDX-License-Identifier: Apache-2.0

/// One operation on the value of a key: assign a property, or continue inside the value.
@frozen
@usableFromInline
struct PlanStep: Sendable, BitwiseCopyable {
    /// The kind of operation.
    @frozen
    @usableFromInline
    enum Action: UInt8, Sendable, BitwiseCopyable {
        /// Pass the value to the destination.
        case assign
        /// Walk the value, an object on the way to a dotted source, for the same destination.
        case descend
    }

    /// The index of the property in its table.
    @usableFromInline let property: Int32
    /// The index of the mapping that the step belongs to, for issues.
    @usableFromInline let mapping: Int32
    /// The index of the related or intermediate object; -1 for none.
    @usableFromInline let object: Int32
    /// The position among the steps of its object, where assigned steps are recorded.
    @usableFromInline let ordinal: Int32
    /// The operation.
    @usableFromInline let action: Action
    /// A Boolean value that indicates whether the step does more than convert and assign the value.
    @usableFromInline let isSpecial: Bool
    /// The policy for a value that cannot be mapped, copied from the mapping.
    @usableFromInline let policy: IssuePolicy
    /// The coercions that the mapping allows.
    @usableFromInline let coercions: Coercions
    /// A Boolean value that indicates whether the mapping has date formats of its own.
    @usableFromInline let hasDates: Bool
}

extension PlanStep {
    /// The step in a run that is observed or fills an object.
    var observed: PlanStep {
        PlanStep(
            property: property, mapping: mapping, object: object, ordinal: ordinal, action: action,
            isSpecial: true, policy: policy, coercions: coercions, hasDates: hasDates)
    }

    /// Returns the same step to another object.
    func leading(to object: Int) -> PlanStep {
        PlanStep(
            property: property, mapping: mapping, object: Int32(object), ordinal: ordinal,
            action: action, isSpecial: isSpecial, policy: policy, coercions: coercions,
            hasDates: hasDates)
    }
}
