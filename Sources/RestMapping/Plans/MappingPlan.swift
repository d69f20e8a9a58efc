// SPDX-License-Identifier: Apache-2.0

/// A compiled mapping: flat arrays of keys and steps, without lookups by name.
///
/// A run walks each object of the document once, in document order. Attributes whose source is more
/// than keys follow all others, then the properties of objects that another property holds, and last
/// the related objects that read properties of their parent.
public struct MappingPlan: Sendable {
    let storage: PlanStorage
    let tables: [PropertyTable]
    /// The value conversion of each object.
    let dates: [DateFormats]
    let keyNames: [String]
    /// The declarations of each step besides its conversion.
    let stepDetails: [StepDetail]
    /// The declarations of each object besides its keys.
    let objectDetails: [ObjectDetail]
    let paths: [ObjectDetail.Path]
    /// The index of the object that a run begins with.
    let root: Int
    /// The index of the step that leads to it.
    let rootStep: Int
    /// A Boolean value that indicates whether sources may begin with `@metadata`.
    package let usesMetadata: Bool
    /// The diagnostics of a mapping that can be used nevertheless.
    public let warnings: [PlanDiagnostic]

    init(
        storage: PlanStorage, tables: [PropertyTable], dates: [DateFormats],
        keyNames: [String], stepDetails: [StepDetail], objectDetails: [ObjectDetail],
        paths: [ObjectDetail.Path], root: Int, rootStep: Int, warnings: [PlanDiagnostic]
    ) {
        self.storage = storage
        self.tables = tables
        self.dates = dates
        self.keyNames = keyNames
        self.stepDetails = stepDetails
        self.objectDetails = objectDetails
        self.paths = paths
        self.root = root
        self.rootStep = rootStep
        usesMetadata =
            stepDetails.contains { $0.source.components.first == .metadata }
            || paths.contains { $0.source.components.first == .metadata }
            || objectDetails.contains { $0.mayUseMetadata }
        self.warnings = warnings
    }

    /// The properties of the type or entity that the plan builds; none for a dynamic mapping.
    public var table: PropertyTable { tables[root] }

    /// A Boolean value that indicates whether related objects read properties of their parent.
    package var hasDependentObjects: Bool {
        objectDetails.contains { !$0.dependentSteps.isEmpty }
    }

    /// The validations, each with the names of its type or entity and of its property, in the order
    /// of the plan.
    package var validations: [(mapping: String, property: String, type: any Any.Type)] {
        stepDetails.indices.compactMap { index in
            guard let validation = stepDetails[index].validation else { return nil }
            let mapping = tables[Int(storage.step(index).mapping)].name
            return (mapping, stepDetails[index].destination, validation.valueType)
        }
    }

    /// The transforms to a type, each with the names of its type or entity and of its property, in the
    /// order of the plan.
    package var transforms: [(mapping: String, property: String, type: any Any.Type)] {
        stepDetails.indices.compactMap { index in
            guard let type = stepDetails[index].transform?.valueType else { return nil }
            let mapping = tables[Int(storage.step(index).mapping)].name
            return (mapping, stepDetails[index].destination, type)
        }
    }

    /// The names of the entities whose objects the plan may map, wherever they are in a document.
    ///
    /// The table of a plain value has no properties.
    package var entityNames: Set<String> { Set(entityTables.map(\.name)) }

    /// The properties of these entities; several of the same name if mappings declare them differently.
    package var entityTables: [PropertyTable] {
        tables.filter { $0.isEntity && !$0.properties.isEmpty }
    }

    /// A Boolean value that indicates whether a dynamic mapping may choose mappings that it does not
    /// declare.
    package var mayMapUndeclaredTypes: Bool {
        objectDetails.contains { $0.selector?.mayChooseUndeclared ?? false }
    }

    /// A Boolean value that indicates whether the representation decides what is built.
    var isDynamic: Bool { objectDetails[root].selector != nil }

    /// The conversions, policies and default values, as text.
    ///
    /// With ``description``, it tells apart the plans that map one document differently, except for the
    /// code of closures.
    package var conversionText: String {
        let objects = dates.map { $0.formats.map(\.description).joined(separator: " | ") }
        let steps = stepDetails.indices.map { index in
            let (step, detail) = (storage.step(index), stepDetails[index])
            let policy = step.policy
            let text =
                "\(detail.destination) \(step.coercions.rawValue) \(policy.invalidValue)"
                + " \(policy.invalidElement) \(policy.invalidObject)"
            // Other values may have a text that differs between processes.
            let value = detail.defaultValue as? any LosslessStringConvertible
            return value.map { "\(text) = \($0)" } ?? text
        }
        return (objects + steps).joined(separator: "\n")
    }
}
