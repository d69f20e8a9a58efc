// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A destination of a relationship in a document: an object, or the identity of one.
enum BatchMember {
    case row(BatchRow)
    case reference(BatchReference)

    /// The row of an object.
    var row: BatchRow? {
        if case .row(let row) = self { row } else { nil }
    }
}

/// The indices of a batch of references and of an identity in it, and the node of the reference.
struct BatchReference {
    let batch: Int
    let index: Int
    let node: Int
}

/// The different identities by which a document refers to objects of an entity.
final class ReferenceBatch {
    /// The identities, as rows that have no other value.
    let identities: EntityBatch
    let column: Int
    private var indices: [StoredValue: Int] = [:]

    init(_ layout: EntityLayout, column: Int) {
        identities = EntityBatch(layout, identity: [column])
        self.column = column
    }

    /// Returns the index of an identity.
    func index(of identity: StoredValue, node: Int) -> Int {
        if let known = indices[identity] { return known }
        let index = identities.append(node: node, isDroppable: true)
        identities.set(identity, column, of: index)
        indices[identity] = index
        return index
    }

    func identity(_ index: Int) -> StoredValue { identities.value(index, column) }
}

extension ImportBatch {
    /// Maps a value into a member of a relationship: an object of its mapping's entity, or an
    /// identity.
    ///
    /// - Returns: The member; `nil` if it was dropped.
    func member(
        of source: ValueSource, _ relation: RelationBatch
    ) throws(MappingFailure) -> BatchMember? {
        if relation.missing != nil, source.view.kind == .object, source.mapsOnlyPlainValues {
            // An object without the identity would be inserted otherwise.
            try PolicyEvaluator(source).applyElementPolicy(
                to: source.mismatch("an identity"), isObject: false)
            return nil
        }
        guard let missing = relation.missing, source.isPlainValue else {
            return try row(of: source).map { .row($0) }
        }
        do throws(MappingFailure) {
            let chosen = try source.chosenSource()
            guard chosen.isRepresentation else { throw chosen.mismatch("an identity") }
            let layout = layout(of: chosen)
            var destination = IdentityDestination(
                layout: layout, form: relation.relationship.reference?.form ?? .value)
            try chosen.walk(into: &destination)
            // The walk has reported a value that is no identity.
            guard let column = destination.column, !destination.identity.isNull else { return nil }
            if missing == .placeholder {
                let entity = entities[layout.index]
                let row = entity.append(
                    node: chosen.location, isDroppable: chosen.objectPolicy.invalidObject == .drop)
                entity.set(destination.identity, column, of: row)
                return .row(BatchRow(entity: layout.index, row: row))
            }
            let batch = referenceBatch(layout, column)
            let index = references[batch].index(of: destination.identity, node: chosen.location)
            return .reference(
                BatchReference(batch: batch, index: index, node: chosen.location))
        } catch {
            try PolicyEvaluator(source).applyElementPolicy(to: error, isObject: false)
            return nil
        }
    }
}

/// A mapping destination that keeps the identity of an object.
private struct IdentityDestination: MappingDestination {
    let layout: EntityLayout
    let form: ReferenceDescription.Form
    private(set) var column: Int?
    private(set) var identity = StoredValue.null

    init(layout: EntityLayout, form: ReferenceDescription.Form) {
        self.layout = layout
        self.form = form
    }

    mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
        guard case .attribute(let column) = layout.properties[property], !source.isMissing else {
            return
        }
        self.column = column
        let attribute = layout.columns[column]
        identity = try form.identity(
            in: source, of: attribute.name, attribute.type, attribute.reading)
    }
}
