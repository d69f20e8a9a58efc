// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A mapping to managed objects: a ``/RestMapping/Mapping`` with identification attributes.
///
/// With a dynamic mapping, the objects may be of several entities.
///
/// Existing objects are found by the identification attributes of their entity, or by those in
/// ``identification``. An object whose identification attributes are null or absent is never merged
/// with another one: it is inserted, and an issue is reported.
///
/// A value is converted to the type of its attribute before the lookup. For an integer attribute,
/// `1`, `"1"`, `" 1 "` and `1.0` all identify the object 1, whereas `1.5` and numbers that do not fit
/// 64 bits are issues. Text is compared by its bytes.
public struct EntityMapping: MappingConvertible, Sendable {
    /// The mapping of the properties, including those of related entities.
    public var mapping: Mapping
    /// The identification attributes by entity name, which replace those that the entity declares.
    ///
    /// With an empty array, all objects are inserted.
    public var identification: [String: [String]]

    /// Creates the default mapping of a class, which maps every property from its source key.
    public init<Object: ManagedEntity>(_ type: Object.Type, policy: IssuePolicy = .standard) {
        self.init(ObjectMapping(for: type, policy: policy))
    }

    /// Creates an entity mapping from a mapping.
    public init(_ mapping: Mapping, identification: [String: [String]] = [:]) {
        self.mapping = mapping
        self.identification = identification
    }

    /// Creates an entity mapping from a mapping of any kind.
    public init(_ mapping: some MappingConvertible, identification: [String: [String]] = [:]) {
        self.init(mapping.mapping, identification: identification)
    }
}

/// An entity mapping compiled for the model of a store.
///
/// Compile a mapping once and use the plan for all responses.
public struct EntityMappingPlan: Sendable {
    let plan: MappingPlan
    let model: ManagedObjectModel
    /// The columns of the identification attributes, by entity.
    let identities: [[Int]]

    /// Creates a plan by compiling a mapping.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, or `invalidMapping` with all errors
    ///   in its details.
    public init(
        _ mapping: EntityMapping, in model: ManagedObjectModel
    ) throws(PersistenceError) {
        let plan: MappingPlan
        do throws(MappingError) {
            plan = try MappingCompiler().compile(mapping.mapping)
        } catch {
            throw PersistenceError(
                .invalidMapping, entity: mapping.mapping.name,
                details: error.diagnostics.map(\.description), underlying: error)
        }
        try self.init(mapping, compiled: plan, in: model)
    }

    /// Creates a plan from a mapping and its compiled form.
    package init(
        _ mapping: EntityMapping, compiled plan: MappingPlan, in model: ManagedObjectModel
    ) throws(PersistenceError) {
        let name = mapping.mapping.name
        for table in mapping.mapping.tables { _ = try model.layout(named: table.name) }
        self.model = model
        self.plan = plan
        var diagnostics: [String] = []
        var identities = model.layouts.map(\.identity)
        for (entity, attributes) in mapping.identification {
            guard let layout = try? model.layout(named: entity) else {
                diagnostics.append("\(entity) is not in the model")
                continue
            }
            var columns: [Int] = []
            for attribute in attributes {
                if case .attribute(let column) = layout.propertyIndices[attribute] {
                    columns.append(column)
                } else {
                    diagnostics.append("\(entity).\(attribute) is not an attribute")
                }
            }
            identities[layout.index] = columns
        }
        guard diagnostics.isEmpty else {
            throw PersistenceError(.invalidMapping, entity: name, details: diagnostics.sorted())
        }
        self.identities = identities
    }
}
