// SPDX-License-Identifier: Apache-2.0

/// A compiled mapping: flat arrays of keys and steps, and nothing to look up by name.
///
/// Running a plan walks each object of the document once, in the document's order. Attributes whose
/// source is more than keys come after all others, then the ones that feed a part of an object
/// another property holds, and last related objects that ask the one around them.
public struct MappingPlan: Sendable {
    let storage: PlanStorage
    let tables: [PropertyTable]
    /// How values are converted, by object as the tables are.
    let conversions: [ValueConversion]
    let keyNames: [String]
    /// By step: what it does besides converting a value.
    let details: [StepDetail]
    /// By object: what it has besides its keys.
    let rules: [ObjectRule]
    let paths: [ObjectRule.Path]
    /// Index of the object the plan is for.
    let root: Int
    /// Index of the step that leads to it.
    let rootStep: Int
    /// What is odd about the mapping but does not keep it from being used.
    public let warnings: [PlanDiagnostic]

    /// Compiles the default mapping of a type.
    ///
    /// - Throws: ``MappingError`` with all mistakes at once.
    public init<Subject: MappingSubject>(_ subject: Subject.Type) throws(MappingError) {
        self = try MappingCompiler().compile(ObjectMapping(for: subject))
    }

    init(
        storage: PlanStorage, tables: [PropertyTable], conversions: [ValueConversion],
        keyNames: [String], details: [StepDetail], rules: [ObjectRule], paths: [ObjectRule.Path],
        root: Int,
        rootStep: Int, warnings: [PlanDiagnostic]
    ) {
        self.storage = storage
        self.tables = tables
        self.conversions = conversions
        self.keyNames = keyNames
        self.details = details
        self.rules = rules
        self.paths = paths
        self.root = root
        self.rootStep = rootStep
        self.warnings = warnings
    }

    /// The properties of the type or entity the plan builds; none for a dynamic mapping.
    public var table: PropertyTable { tables[root] }

    /// Whether related objects ask what those around them became.
    package var isAsked: Bool { rules.contains { !$0.askingSteps.isEmpty } }

    /// Whether the representation decides what is built.
    var isDynamic: Bool { rules[root].selector != nil }
}
