// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension MappingPlan {
    /// Maps a list of representations, or a single one, to documents: objects that hold the properties
    /// by name.
    ///
    /// For types that exist at run time only, described by
    /// ``PropertyTable/init(entity:inheriting:_:identity:)``, and for inspecting a mapping. Attributes
    /// are copied, or converted by a transform to a `Document`; a relationship holds an object or a
    /// list, as its property does.
    ///
    /// - Throws: ``MappingError`` when an object cannot be built and the policy is to fail.
    public func documents(
        from node: Node, in environment: MappingEnvironment? = nil, report: inout MappingReport
    ) throws(MappingError) -> [Document] {
        try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            try DocumentDestination.documents(of: source)
        }
    }
}

/// A destination that collects the properties of one object in a document.
private struct DocumentDestination: MappingDestination {
    let table: PropertyTable
    private var values: [(name: String, value: Document)] = []

    init(_ table: PropertyTable) {
        self.table = table
    }

    /// Returns the documents of the objects of a list, or of a single object in its place.
    static func documents(of source: ValueSource) throws(MappingFailure) -> [Document] {
        var documents: [Document] = []
        try source.forEachObject { element throws(MappingFailure) in
            do throws(MappingFailure) {
                guard element.isRepresentation else {
                    throw element.mismatch("an object")
                }
                let chosen = try element.chosenSource()
                var destination = DocumentDestination(chosen.table)
                try chosen.walk(into: &destination)
                element.countObject()
                documents.append(destination.document)
            } catch {
                try PolicyEvaluator(element).applyElementPolicy(to: error, isObject: true)
            }
        }
        return documents
    }

    mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
        let property = table.properties[property]
        let value: Document
        if source.isMissing {
            value = nil
        } else if let relation = property.relation, relation.table.decodedType == nil,
            relation.isToMany || source.view.kind != .null
        {
            let related = try Self.documents(of: source)
            if relation.isToMany {
                value = Self.list(related)
            } else if let first = related.first {
                value = first
            } else {
                return
            }
        } else {
            value = try source.converted(to: Document.self)
        }
        if source.isReadByChildren { source.keepForChildren(value) }
        values.removeAll { $0.name == property.name }
        values.append((property.name, value))
    }

    private static func list(_ documents: [Document]) -> Document {
        var builder = DocumentBuilder()
        builder.beginArray()
        for document in documents { builder.value(document) }
        builder.end()
        return builder.finish()
    }

    private var document: Document {
        var builder = DocumentBuilder()
        builder.beginObject()
        for (name, value) in values {
            builder.key(name)
            builder.value(value)
        }
        builder.end()
        return builder.finish()
    }
}
