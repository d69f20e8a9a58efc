// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension MappingPlan {
    /// Maps a list of representations, or a single one, to documents: objects that hold the
    /// properties by name, and nothing else.
    ///
    /// For types that exist at run time only, described by ``PropertyTable/init(entity:_:)``, and for
    /// looking at what a mapping makes. Attributes are copied as they are or as a transform to a
    /// `Document` makes them; a relationship holds an object or a list, as its property does.
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

/// Collects the properties of one object.
private struct DocumentDestination: MappingDestination {
    let table: PropertyTable
    private var values: [(name: String, value: Document)] = []

    init(_ table: PropertyTable) {
        self.table = table
    }

    /// What every object of a list becomes, or the one object that is there instead.
    static func documents(of source: MappingSource) throws(MappingFailure) -> [Document] {
        var documents: [Document] = []
        try source.forEachObject { element throws(MappingFailure) in
            do throws(MappingFailure) {
                guard element.node.kind == .object || element.isEntry else {
                    throw element.mismatch("an object")
                }
                let chosen = try element.chosenSource()
                var destination = DocumentDestination(chosen.table)
                try chosen.walk(into: &destination)
                element.countObject()
                documents.append(destination.document)
            } catch {
                try element.leaveOut(error, isObject: true)
            }
        }
        return documents
    }

    mutating func assign(_ property: Int, from source: MappingSource) throws(MappingFailure) {
        let property = table.properties[property]
        let value: Document
        if source.isMissing {
            value = nil
        } else if let relation = property.relation, relation.table.decodedType == nil,
            source.node.kind != .null
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
            value = try source.read(Document.self)
        }
        if source.isHeld { source.hold(value) }
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
