// SPDX-License-Identifier: Apache-2.0

extension ObjectMapping {
    /// Adds an attribute.
    public mutating func add(_ attribute: AttributeMapping) {
        propertyMappings.append(.attribute(attribute))
    }

    /// Adds a relationship.
    public mutating func add(_ relationship: RelationshipMapping) {
        propertyMappings.append(.relationship(relationship))
    }

    /// Adds a line.
    public mutating func add(_ line: PropertyMapping) { propertyMappings.append(line) }

    /// Adds a property by name, as a relationship if it holds mapped objects.
    public mutating func add(_ name: String, from source: SourcePath) {
        if let index = table.index(of: name), table.properties[index].holdsMappedObjects {
            add(RelationshipMapping(source, to: name))
        } else {
            add(AttributeMapping(source, to: name))
        }
    }

    /// Adds properties by name, from source to property; names are taken as they are.
    public mutating func add(_ names: KeyValuePairs<SourcePath, String>) {
        for (source, name) in names { add(name, from: source) }
    }

    /// Adds properties by the names of the representation; they are called as the mapping's key
    /// transformation says.
    public mutating func add(_ names: [SourcePath]) {
        for source in names { add(keyTransformation.destination(of: source), from: source) }
    }

    /// Adds a relationship by the name of the representation; the property is called as the
    /// mapping's key transformation says.
    public mutating func addRelationship(
        from source: SourcePath, mapping: Mapping? = nil, assignment: AssignmentPolicy = .set
    ) {
        add(
            RelationshipMapping(
                source, to: keyTransformation.destination(of: source), mapping: mapping,
                assignment: assignment))
    }

    /// Removes the lines that are equal to one.
    public mutating func remove(_ line: PropertyMapping) {
        propertyMappings.removeAll { $0 == line }
    }

    /// Removes the lines of a property.
    public mutating func remove(to destination: String) {
        propertyMappings.removeAll { $0.destination == destination }
    }

    /// Has the values of a property checked before they are assigned.
    ///
    /// The check runs after conversion and only if the property is about to change. What it throws
    /// is an issue of the object, which cannot be built then, and the ``MappingError/underlying``
    /// error of the run if that ends it.
    ///
    /// - Parameters:
    ///   - property: Names the property.
    ///   - check: Is given a value of the property's type.
    public mutating func validate<Subject: MappingSubject, Value>(
        _ property: KeyPath<Subject, Value>,
        _ check: @escaping @Sendable (Value) throws -> Validation<Value>
    ) {
        validate(Subject.name(of: property), check)
    }

    /// Has the values of a property checked before they are assigned, the property named by text.
    public mutating func validate<Value>(
        _ property: String, _ check: @escaping @Sendable (Value) throws -> Validation<Value>
    ) {
        validations[property] = PropertyValidation(check: check)
    }
}
