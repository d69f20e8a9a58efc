// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A mapping to managed objects: a ``/RestMapping/Mapping`` with rules for the entities.
///
/// With a dynamic mapping, the objects may be of several entities. With a mapping of a plain type, the
/// rules are for the entities of its properties.
///
/// Existing objects are found by the identification attributes of their entity, or by those of its
/// ``rules``. An object whose identification attributes are null or absent is never merged
/// with another one: it is inserted, and an issue is reported.
///
/// In a relationship of an existing object, representations without a found object update the
/// destinations that have no identity, in their order and each once: those of an entity without
/// identification attributes, and those whose identification attributes are all null, such as the
/// unsaved lines of an order that has been sent to the server. Further representations are inserted. A
/// representation without identity is the whole object: its destination gets default values for the mapped
/// keys that the representation lacks.
/// This applies to relationships with the policy `set`: `replace` deletes the previous destinations,
/// and `union` adds to them. ``EntityRules/insertsAllObjects`` prevents it.
///
/// A value is converted to the type of its attribute before the lookup. For an integer attribute,
/// `1`, `"1"`, `" 1 "` and `1.0` all identify the object 1, whereas `1.5` and numbers that do not fit
/// 64 bits are issues. Text is compared by its bytes.
///
/// The validations of a mapping run for each value before it is compared with the stored one. A
/// rejected value is left out, so that a new object may lack a required value. An object whose
/// validation throws is dropped if the policy drops invalid objects, and ends the import otherwise.
/// Relationships have no validation, as their objects do not exist yet; ``ValidatingObject``
/// validates whole objects when they are saved.
public struct EntityMapping: MappingConvertible, Sendable {
    /// The mapping of the properties, including those of related entities.
    public var mapping: Mapping
    /// The rules by entity name.
    public var rules: [String: EntityRules]
    /// The effect of representations on objects; ``ImportMode/insertAndUpdate`` by default.
    public var mode = ImportMode.insertAndUpdate

    /// Creates the default mapping of a class, which maps every property from its source key.
    public init<Object: ManagedEntity>(
        _ type: Object.Type, policy: IssuePolicy = .standard, rules: [String: EntityRules] = [:]
    ) {
        self.init(ObjectMapping(for: type, policy: policy), rules: rules)
    }

    /// Creates an entity mapping from a mapping.
    public init(_ mapping: Mapping, rules: [String: EntityRules] = [:]) {
        self.mapping = mapping
        self.rules = rules
    }

    /// Creates an entity mapping from a mapping of any kind.
    public init(_ mapping: some MappingConvertible, rules: [String: EntityRules] = [:]) {
        self.init(mapping.mapping, rules: rules)
    }

    /// Sets the attributes by which existing objects of a class are found.
    ///
    /// ```swift
    /// mapping.identify(Airport.self, by: \.code)
    /// ```
    ///
    /// They replace ``EntityRules/identification`` in the rules of the entity, whose other rules stay
    /// as they are. Attributes of another class do not compile; a property that is no attribute is an
    /// error of the plan.
    public mutating func identify<Object: ManagedEntity>(
        _ type: Object.Type, by attributes: any PartialKeyPath<Object> & Sendable...
    ) {
        rules[Object.entity.name, default: EntityRules()].identification =
            attributes.map(Object.propertyName)
    }
}

/// An entity mapping compiled for the model of a store.
///
/// Compile a mapping once and use the plan for all responses.
public struct EntityMappingPlan: Sendable {
    let mapping: Mapping
    let plan: MappingPlan
    let model: ManagedObjectModel
    /// The rules by entity.
    let rules: [CompiledRules]
    let mode: ImportMode
    /// The deletion predicates in the order of the model.
    let deletions: [DeletionRule]

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
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - plan: Its compiled form.
    ///   - model: The model of the store.
    ///   - allowsPlainObjects: A Boolean value that indicates whether the roots may be plain objects
    ///     with properties of managed objects; see ``MappedRepresentation``.
    /// - Throws: The errors of ``init(_:in:)``.
    package init(
        _ mapping: EntityMapping, compiled plan: MappingPlan, in model: ManagedObjectModel,
        allowsPlainObjects: Bool = false
    ) throws(PersistenceError) {
        let name = mapping.mapping.name
        var diagnostics: [String] = []
        for table in mapping.mapping.tables where !allowsPlainObjects {
            _ = try model.layout(named: table.name)
            if table.isEntity { continue }
            diagnostics.append(
                "\(table.name) is a plain type with the name of an entity: map the class of the "
                    + "entity, or its properties in the model")
        }
        // Rows are written by the indices of properties.
        var others: Set<String> = []
        for table in plan.entityTables {
            let names = try model.layout(named: table.name).propertyNames
            if table.properties.map(\.name) != names { others.insert(table.name) }
        }
        diagnostics += others.map {
            "\($0) has other properties in the model: map the class of the model's entity, or its "
                + "properties in the model"
        }
        self.model = model
        self.mapping = mapping.mapping
        self.plan = plan
        mode = mapping.mode
        diagnostics += Set(plan.validations.compactMap { Self.diagnostic(of: $0, in: model) })
        diagnostics += Set(
            plan.transforms.compactMap { Self.diagnostic(ofTransform: $0, in: model) })
        for entity in mapping.rules.keys where model.index(of: entity) == nil {
            diagnostics.append("\(entity) is not in the model")
        }
        rules = model.layouts.map { layout in
            let declared = Self.rules(of: layout, mapping.rules, in: model)
            // Errors in inherited rules are reported for the entity that declares them.
            var errors: [String] = []
            defer { if mapping.rules[layout.name] != nil { diagnostics += errors } }
            return CompiledRules(declared, of: layout, in: model, &errors)
        }
        var deletions: [DeletionRule] = []
        for layout in model.layouts {
            guard let predicate = mapping.rules[layout.name]?.deletionPredicate else { continue }
            do throws(PersistenceError) {
                deletions.append(try DeletionRule(of: layout.name, predicate, in: model))
            } catch {
                diagnostics.append("deletion predicate of \(layout.name): \(error)")
            }
        }
        // Representations say what to delete, and nothing else does.
        self.deletions = mapping.mode == .deleteOnly ? [] : deletions
        diagnostics += placeholderDiagnostics(of: mapping)
        guard diagnostics.isEmpty else {
            throw PersistenceError(.invalidMapping, entity: name, details: diagnostics.sorted())
        }
    }

    /// Returns the attributes by which objects of an entity are found.
    ///
    /// - Returns: The attributes in the order of the identification; none if all objects are inserted,
    ///   or if there is no entity of that name.
    public func identification(of entity: String) -> [AttributeDescription] {
        guard let index = model.index(of: entity) else { return [] }
        let attributes = model.layouts[index].attributes(in: model)
        return rules[index].identity.compactMap { column in
            let name = model.layouts[index].columns[column].name
            return attributes.first { $0.name == name }
        }
    }

    /// Returns the reason why a validation cannot be performed; `nil` if it can.
    private static func diagnostic(
        of validation: (mapping: String, property: String, type: any Any.Type),
        in model: ManagedObjectModel
    ) -> String? {
        guard let entity = model.index(of: validation.mapping) else { return nil }
        let name = "\(validation.mapping).\(validation.property)"
        switch model.layouts[entity].propertyIndices[validation.property] {
        case .relationship:
            return "\(name) is a relationship, which cannot be validated before its objects exist: "
                + "conform the class to ValidatingObject instead"
        case .attribute(let column):
            let attribute = model.layouts[entity].columns[column]
            let isOptional = !attribute.isRequired
            if let type = validation.type as? any AttributeValue.Type,
                type.attributeType == attribute.type, type.isOptional == isOptional
            {
                return nil
            }
            return "the validation of \(name) accepts \(validation.type), but the type of the "
                + "attribute is \(isOptional ? "optional " : "")\(attribute.type)"
        case nil: return nil
        }
    }

    /// Returns the reason why the result of a transform is no value of the attribute; `nil` if it is.
    private static func diagnostic(
        ofTransform transform: (mapping: String, property: String, type: any Any.Type),
        in model: ManagedObjectModel
    ) -> String? {
        guard let entity = model.index(of: transform.mapping),
            let attribute = model.layouts[entity].attributes(in: model)
                .first(where: { $0.name == transform.property }),
            let type = attribute.valueType
        else { return nil }
        if transform.type == type { return nil }
        // A transform to the wrapped type of an optional: null becomes nil.
        if type.isOptional, let result = transform.type as? any AttributeValue.Type,
            result.optionalType == type
        {
            return nil
        }
        return "the transform of \(transform.mapping).\(transform.property) creates "
            + "\(transform.type), but the type of the attribute is \(type)"
    }

    /// Returns the relationships whose placeholders cannot be inserted or would not be found again.
    private func placeholderDiagnostics(of mapping: EntityMapping) -> [String] {
        var diagnostics: [String] = []
        let mapped = Set(mapping.mapping.tables.map(\.name))
        for layout in model.layouts where mapped.contains(layout.name) {
            for relationship in layout.relationships
            where rules[layout.index].missing(relationship.index) == .placeholder {
                let name = "\(layout.name).\(relationship.name)"
                let destination = model.layouts[relationship.destination]
                let identity = rules[destination.index].identity
                if let column = relationship.reference?.column, identity != [column] {
                    diagnostics.append(
                        "placeholders of \(name) need the identity of \(destination.name), not its "
                            + destination.columns[column].name)
                }
                for column in destination.requiredColumns
                where !identity.contains(column) && destination.defaults[column].isNull
                    && column != destination.table.entityColumn
                {
                    diagnostics.append(
                        "placeholders of \(name) are incomplete: \(destination.name)."
                            + "\(destination.columns[column].name) is required")
                }
            }
        }
        return diagnostics
    }

    /// Returns the rules of an entity, or those of the nearest entity that it inherits from.
    fileprivate static func rules(
        of layout: EntityLayout, _ rules: [String: EntityRules], in model: ManagedObjectModel
    ) -> EntityRules? {
        var layout = layout
        while true {
            if let found = rules[layout.name] { return found }
            guard let superentity = layout.superentity else { return nil }
            layout = model.layouts[superentity]
        }
    }
}

extension EntityMapping {
    /// Returns the columns by which the declared identity and the rules of mappings find objects of an entity, with
    /// the condition on these; `nil` for none.
    ///
    /// Rules with the same columns find an object that meets the condition of any of them. A condition that depends
    /// on the representation finds none before there is one.
    static func identifications(
        of layout: EntityLayout, by mappings: [EntityMapping], in model: ManagedObjectModel
    ) -> [[Int]: FetchPredicate?] {
        var found: [[Int]: FetchPredicate?] = [:]
        if !layout.identity.isEmpty { found.updateValue(nil, forKey: layout.identity) }
        for mapping in mappings {
            // The plan of the mapping reports errors of the rules.
            var diagnostics: [String] = []
            let declared = EntityMappingPlan.rules(of: layout, mapping.rules, in: model)
            let rules = CompiledRules(declared, of: layout, in: model, &diagnostics)
            if rules.identity.isEmpty || rules.identificationCondition != nil { continue }
            var predicate = rules.identificationPredicate
            if let known = found[rules.identity] {
                if let own = predicate, let known, own != known {
                    predicate = known || own
                } else if known == nil {
                    predicate = nil
                }
            }
            found.updateValue(predicate, forKey: rules.identity)
        }
        return found
    }
}
