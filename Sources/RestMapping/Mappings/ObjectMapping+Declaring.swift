// SPDX-License-Identifier: Apache-2.0

extension ObjectMapping {
    /// Adds an attribute mapping.
    public mutating func add(_ attribute: AttributeMapping) {
        propertyMappings.append(.attribute(attribute))
    }

    /// Adds a relationship mapping.
    public mutating func add(_ relationship: RelationshipMapping) {
        propertyMappings.append(.relationship(relationship))
    }

    /// Adds a property mapping.
    public mutating func add(_ mapping: PropertyMapping) { propertyMappings.append(mapping) }

    /// Adds a property by name, as a relationship if it holds mapped objects.
    public mutating func add(_ name: String, from source: SourcePath) {
        if let index = table.index(of: name), table.properties[index].holdsMappedObjects {
            let assignment = table.properties[index].relation?.assignment ?? .set
            add(RelationshipMapping(source, to: name, assignment: assignment))
        } else {
            add(AttributeMapping(source, to: name))
        }
    }

    /// Adds properties by name, from source to property, without the mapping's key transformation.
    public mutating func add(_ names: KeyValuePairs<SourcePath, String>) {
        for (source, name) in names { add(name, from: source) }
    }

    /// Adds properties by the keys of the representation; the mapping's key transformation returns
    /// their names.
    public mutating func add(_ names: [SourcePath]) {
        for source in names { add(keyTransformation.destination(of: source), from: source) }
    }

    /// Adds a relationship by the key of the representation; the mapping's key transformation
    /// returns the property's name.
    public mutating func addRelationship(
        from source: SourcePath, mapping: Mapping? = nil, assignment: AssignmentPolicy = .set
    ) {
        add(
            RelationshipMapping(
                source, to: keyTransformation.destination(of: source), mapping: mapping,
                assignment: assignment))
    }

    /// Removes the property mappings that equal a given one.
    public mutating func remove(_ mapping: PropertyMapping) {
        propertyMappings.removeAll { $0 == mapping }
    }

    /// Removes the mappings of a property.
    public mutating func remove(to destination: String) {
        propertyMappings.removeAll { $0.destination == destination }
    }

    /// Validates the values of a property before they are assigned.
    ///
    /// The check runs after conversion and only if the property is about to change. An error that
    /// it throws becomes an issue of the object, which then cannot be built, and is the
    /// ``MappingError/underlying`` error of the run if the issue ends it.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - check: Validates a value of the property's type.
    public mutating func validate<Subject: MappingSubject, Value>(
        _ property: KeyPath<Subject, Value>,
        _ check: @escaping @Sendable (Value) throws -> Validation<Value>
    ) {
        validate(Subject.name(of: property), check)
    }

    /// Validates the values of a property, which is named by text, before they are assigned.
    public mutating func validate<Value>(
        _ property: String, _ check: @escaping @Sendable (Value) throws -> Validation<Value>
    ) {
        validations[property] = PropertyValidation(check: check)
    }
}
