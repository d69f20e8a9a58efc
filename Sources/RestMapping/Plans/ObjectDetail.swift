// SPDX-License-Identifier: Apache-2.0

/// The declarations of an object besides its keys.
struct ObjectDetail: Sendable {
    /// A source that is not a chain of keys.
    struct Path: Sendable {
        let source: SourcePath
        let step: Int
        /// A Boolean value that indicates whether an empty source counts only if a key of the related
        /// object is present.
        let isOptional: Bool
        /// The property of the parent object that the source begins with, and the rest of the source.
        let parentProperty: (name: String, rest: SourcePath)?
    }

    /// The selector of a dynamic mapping.
    var selector: MappingSelector?
    /// The mapping of a type that decodes itself.
    var codable: CodableMapping?
    /// The steps by ordinal; none for an intermediate object.
    var steps: [Int] = []
    /// The steps to related objects that read properties of this one, with their sources.
    var dependentSteps: [(source: SourcePath, step: Int)] = []
    /// A Boolean value that indicates whether an attribute takes the whole representation, which may
    /// be a plain value.
    var takesPlainValue = false
    /// A Boolean value that indicates whether the representation may be a list, as properties are
    /// mapped from its elements by position.
    var takesList = false
    /// A Boolean value that indicates whether an object is mapped as the list of its members.
    var forcesCollection = false
    /// The index of the object for the value of the nesting key; -1 if no key is mapped.
    var nestedObject = -1
    /// The index of the step that assigns the nesting key; -1 if no key is mapped.
    var nestingStep = -1
    /// For an intermediate object: the sources inside it, with their steps.
    var nestedSources: [(source: SourcePath, step: Int)] = []
}

extension ObjectDetail {
    /// A Boolean value that indicates whether the object has sources that begin with `@metadata`, or
    /// a mapping that is chosen by a function and compiled later.
    var mayUseMetadata: Bool {
        let isChosenLater =
            selector?.tests.contains { test in
                if case .selection = test { true } else { false }
            } ?? false
        return isChosenLater || selector?.usesMetadata == true
            || dependentSteps.contains { $0.source.components.first == .metadata }
            || nestedSources.contains { $0.source.components.first == .metadata }
    }
}
