// SPDX-License-Identifier: Apache-2.0

/// What a step does besides converting a value; looked at only where the step says it is special.
struct StepDetail: Sendable {
    /// What a step feeds its property with.
    enum Kind: Sendable {
        /// A plain value.
        case attribute
        /// Related objects.
        case relationship
        /// Some properties of the object the property holds.
        case part
        /// Nothing: the step leads to an object, or to a dotted source.
        case way
    }

    /// What becomes of a property without a value.
    enum Missing: Sendable {
        case keep
        case assignDefault
        case assignNil
    }

    var kind: Kind
    var source: SourcePath
    var destination: String
    var transform: (any ErasedTransform)?
    var assignment = AssignmentPolicy.set
    var missing = Missing.keep
    var defaultValue: (any Sendable)?
    var validation: (any ErasedValidation)?
    /// Whether related objects ask what the property became.
    var isHeld = false
    /// For a step to a dynamic mapping: first of the steps to the objects it chooses among.
    var firstCandidate = -1

    /// Whether the step has to be special.
    var isSpecial: Bool {
        transform != nil || assignment != .set || missing != .keep || validation != nil
            || kind == .part || isHeld
    }
}

/// What an object of a plan has besides its keys.
struct ObjectRule: Sendable {
    /// A source that is not a chain of keys.
    struct Path: Sendable {
        let source: SourcePath
        let step: Int
        /// Whether it is looked up in the object itself and fed only if a key of its own is there.
        let isOptional: Bool
        /// For a source that is asked of the object around: its property, and what follows.
        let parentProperty: (name: String, rest: SourcePath)?
    }

    /// Chooses the object that is walked.
    var selector: MappingSelector?
    /// Says how the object decodes itself.
    var codable: CodableMapping?
    /// The steps by ordinal; for an object that is passed, none.
    var steps: [Int] = []
    /// Whether steps without a value are fed that there is none.
    var feedsMissing = false
    /// Steps to related objects that ask this one, which come last, and their sources.
    var askingSteps: [(source: SourcePath, step: Int)] = []
    /// Whether an object stands for the list of its members.
    var forcesCollection = false
    /// The object that walks the value of the only key; -1 if keys have no meaning.
    var nestedObject = -1
    /// The step that takes the only key.
    var nestingStep = -1
    /// For an object that is passed: the sources in it and under it, and their steps.
    var inside: [(source: SourcePath, step: Int)] = []
}
