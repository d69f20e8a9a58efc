// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The entities inside of plain objects, which are not imported themselves.
extension ImportBatch {
    /// Maps the entities of a document of plain objects, managed objects, or both.
    ///
    /// - Parameters:
    ///   - source: The root of the document.
    ///   - isKeyed: A Boolean value that indicates whether the root is a dictionary of objects.
    /// - Throws: `MappingFailure` if the policy ends the import.
    func mapNestedRoots(_ source: ValueSource, isKeyed: Bool) throws(MappingFailure) {
        try collect(source, isKeyed: isKeyed) { row in roots.append(row) }
    }

    /// Maps the objects of a value, a list of them, or the members of a keyed collection.
    ///
    /// - Parameters:
    ///   - source: The value.
    ///   - isKeyed: A Boolean value that indicates whether an object is a dictionary of objects.
    ///   - visit: Receives the rows of the entities among the objects.
    /// - Throws: `MappingFailure` if the policy ends the import.
    fileprivate func collect(
        _ source: ValueSource, isKeyed: Bool = false, _ visit: (BatchRow) -> Void
    ) throws(MappingFailure) {
        switch source.view.kind {
        case .null: return
        case .array:
            var index = source.view.index + 1
            while index < source.view.contentEnd {
                let element = source.at(index)
                try collect(element, isKeyed: isKeyed, visit)
                index = element.view.nextIndex
            }
        case .object where isKeyed:
            var index = source.view.index + 1
            while index < source.view.contentEnd {
                let value = source.at(index + 1)
                try collect(value, visit)
                index = value.view.nextIndex
            }
        case _ where source.isForcedCollection:
            try source.forEachMember { member throws(MappingFailure) in
                try collectObject(member, visit)
            }
        default: try collectObject(source, visit)
        }
    }

    /// Maps an entity into a row, or the entities inside of a plain object.
    ///
    /// A failure of the plain object itself is ignored here, because mapping it reports the failure.
    private func collectObject(
        _ source: ValueSource, _ visit: (BatchRow) -> Void
    ) throws(MappingFailure) {
        guard source.isRepresentation, let chosen = try? source.chosenSource() else { return }
        if chosen.table.isEntity {
            let row = try row(of: source)
            located[source.representationLocation] = .some(row)
            if let row { visit(row) }
        } else if chosen.table.subject != nil {
            var destination = PlainDestination(batch: self, table: chosen.table)
            plainStatements.addObject(of: chosen.table.name)
            do throws(MappingFailure) {
                try chosen.walk(into: &destination)
            } catch {
                try PolicyEvaluator(source).applyElementPolicy(to: error, isObject: true)
            }
        }
    }
}

/// A mapping destination that imports the entities of a plain object's properties.
private struct PlainDestination: MappingDestination {
    let batch: ImportBatch
    let table: PropertyTable

    mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
        if source.isMissing { return }
        let index = property
        let property = table.properties[property]
        if property.holdsMappedObjects {
            if source.view.kind != .null {
                batch.plainStatements.addValue(
                    of: index, of: table.name, containing: source.table.name)
            }
            try batch.collect(source, isKeyed: property.isKeyed) { _ in }
        } else if source.isReadByChildren {
            source.keepForChildren(try source.converted(to: Document.self))
        }
    }
}

/// The properties of plain objects that contain entities.
///
/// A document says which objects of an entity there are if every object of a plain type has a property
/// that contains them. Plain objects have no state: what an absent property would contain is not known.
struct PlainStatements {
    private struct Property: Hashable {
        let type: String
        let index: Int
    }

    private var objectCounts: [String: Int] = [:]
    private var valueCounts: [Property: (count: Int, content: Set<String>)] = [:]

    /// A Boolean value that indicates whether there are plain objects.
    var isEmpty: Bool { objectCounts.isEmpty }

    mutating func addObject(of type: String) { objectCounts[type, default: 0] += 1 }

    mutating func addValue(of property: Int, of type: String, containing content: String) {
        let property = Property(type: type, index: property)
        var value = valueCounts[property] ?? (0, [])
        value.count += 1
        value.content.insert(content)
        valueCounts[property] = value
    }

    /// The names of the types that a property contains in all objects of its type.
    var contents: Set<String> {
        var contents: Set<String> = []
        for (property, value) in valueCounts where value.count == objectCounts[property.type] {
            contents.formUnion(value.content)
        }
        return contents
    }
}
