// SPDX-License-Identifier: Apache-2.0

/// The declarations of a step besides its conversion; read only for special steps.
struct StepDetail: Sendable {
    /// The kind of value that a step assigns.
    enum Kind: Sendable {
        /// A plain value.
        case attribute
        /// Related objects.
        case relationship
        /// The object that the property holds, with some properties filled.
        case nestedProperties
        /// None: the step leads to the root object or to a dotted source.
        case traversal
    }

    /// The effect of a missing value.
    enum Missing: Sendable {
        case keep
        case assignDefault
        case assignNil
    }

    var kind: Kind
    var source: SourcePath
    var destination: String
    var transform: (any PropertyTransform)?
    var assignment = AssignmentPolicy.set
    var missing = Missing.keep
    var defaultValue: (any Sendable)?
    var validation: (any ErasedValidation)?
    /// A Boolean value that indicates whether related objects read the property.
    var isReadByChildren = false
    /// The index of the first of the steps to the candidates of a dynamic mapping; -1 for others.
    var firstCandidate = -1

    /// A Boolean value that indicates whether the step does more than convert and assign.
    var isSpecial: Bool {
        transform != nil || assignment != .set || missing != .keep || validation != nil
            || kind == .nestedProperties || isReadByChildren
    }
}
