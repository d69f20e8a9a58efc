// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A compiler of declared mappings into plans.
///
/// It diagnoses all errors of a mapping and of those nested in it at once. Types that relate to each
/// other, or to themselves, by their default mappings share one plan.
public struct MappingCompiler: Sendable {
    /// The mappings of objects whose relationship names none, by the name of their type or entity.
    let defaults: [String: ObjectMapping]

    /// Creates a compiler.
    ///
    /// - Parameter defaults: Mappings for relationships that name none, instead of the default mapping of
    ///   their type. A type may relate to itself this way.
    public init(defaults: [ObjectMapping] = []) {
        self.defaults = Dictionary(
            defaults.map { ($0.table.name, $0) }, uniquingKeysWith: { _, later in later })
    }

    /// Compiles a mapping.
    ///
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidMapping`` and all diagnostics.
    /// - Complexity: O(*n*) in the number of properties of all mappings reached.
    public func compile(_ mapping: some MappingConvertible) throws(MappingError) -> MappingPlan {
        try compile(mapping.mapping)
    }

    /// Compiles a mapping of any kind.
    ///
    /// The plan of a dynamic mapping builds objects of the types of its mappings.
    ///
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidMapping`` and all diagnostics.
    public func compile(_ mapping: Mapping) throws(MappingError) -> MappingPlan {
        var draft = PlanDraft(defaults: defaults)
        let root = draft.root(mapping)
        draft.compilePending()
        draft.moveDependentSteps()
        guard draft.diagnostics.allSatisfy(\.isWarning) else {
            throw MappingError(
                .invalidMapping, mapping: draft.objects[root].table.name,
                diagnostics: draft.diagnostics)
        }
        return draft.plan(root: root)
    }
}

extension MappingPlan {
    /// Creates the plan of a type's default mapping.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init<Subject: MappingSubject>(_ subject: Subject.Type) throws(MappingError) {
        self = try MappingCompiler().compile(ObjectMapping(for: subject))
    }
}
