// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A mapping to managed objects: a ``/RestMapping/Mapping`` and what tells objects apart.
///
/// Where the representation decides, each object may be of an entity of its own.
///
/// Objects are found by the attributes declared as identity, or by those named here. An object whose
/// identity is null or absent is never merged with another: it is inserted, and that is an issue.
///
/// An identity is converted to its attribute's type before the lookup, as any value is: to a whole
/// number, `1`, `"1"`, `" 1 "` and `1.0` are all 1, `1.5` and what does not fit 64 bits are issues and
/// no identity. Text is the same only byte for byte.
public struct EntityMapping: Sendable {
    /// Which places feed which properties, of this entity and of related ones.
    public var mapping: Mapping
    /// By entity name: attributes that identify objects instead of the declared ones; an empty list
    /// means that every object is new.
    public var identification: [String: [String]]

    /// Maps every property from its source key.
    public init<Object: ManagedEntity>(_ type: Object.Type, policy: IssuePolicy = .standard) {
        self.init(ObjectMapping(for: type, policy: policy))
    }

    /// Maps as declared.
    public init(_ mapping: Mapping, identification: [String: [String]] = [:]) {
        self.mapping = mapping
        self.identification = identification
    }

    /// Maps as declared, by a mapping of one kind.
    public init(_ mapping: some DeclaredMapping, identification: [String: [String]] = [:]) {
        self.init(mapping.mapping, identification: identification)
    }
}

/// An entity mapping compiled for a store's model; make it once, use it for every response.
public struct EntityMappingPlan: Sendable {
    let plan: MappingPlan
    let model: ManagedObjectModel
    /// By entity: the columns that identify objects.
    let identities: [[Int]]

    /// Compiles a mapping.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, or `invalidMapping` with every
    ///   mistake in its details.
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

    /// Fits a mapping that is compiled already to a model.
    package init(
        _ mapping: EntityMapping, compiled plan: MappingPlan, in model: ManagedObjectModel
    ) throws(PersistenceError) {
        let name = mapping.mapping.name
        for table in mapping.mapping.tables { _ = try model.layout(named: table.name) }
        self.model = model
        self.plan = plan
        var mistakes: [String] = []
        var identities = model.layouts.map(\.identity)
        for (entity, attributes) in mapping.identification {
            guard let layout = try? model.layout(named: entity) else {
                mistakes.append("\(entity) is not in the model")
                continue
            }
            var columns: [Int] = []
            for attribute in attributes {
                if case .attribute(let column) = layout.propertyIndices[attribute] {
                    columns.append(column)
                } else {
                    mistakes.append("\(entity).\(attribute) is no attribute")
                }
            }
            identities[layout.index] = columns
        }
        guard mistakes.isEmpty else {
            throw PersistenceError(.invalidMapping, entity: name, details: mistakes.sorted())
        }
        self.identities = identities
    }
}
