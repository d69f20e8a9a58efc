// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A mapping destination that assigns the properties of an object to a row.
struct RowDestination: MappingDestination {
    let batch: ImportBatch
    let entity: EntityBatch
    let row: Int
    /// The columns that the object assigns.
    private var mask: ColumnMask

    init(batch: ImportBatch, entity: EntityBatch, row: Int) {
        self.batch = batch
        self.entity = entity
        self.row = row
        mask = entity.masks[row]
    }

    /// Records the columns that the object assigns, after all of them.
    func finish() { entity.masks[row] = mask }

    mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
        switch entity.layout.properties[property] {
        case .attribute(let column):
            if let cell = cell(source, entity.layout.columns[column].reading) {
                entity.setCell(cell, column, of: row)
                return mask.insert(column)
            }
            guard let value = try value(source, column) else { return }
            entity.setCell(value, column, of: row)
            mask.insert(column)
            if reportsValues { reportValue(source, column) }
        case .relationship(let index):
            try relate(index, source)
        }
    }

    /// Returns the cell of a value that needs no conversion, transform, validation or report; `nil` for
    /// another one, among them values of documents inside of the document's texts.
    @inline(__always)
    private func cell(_ source: ValueSource, _ reading: AttributeReading) -> BatchCell? {
        guard source.isPlain, !reportsValues, batch.isOfDocument(source.view),
            case .plain(let type, let isOptional) = reading
        else { return nil }
        switch (type.kind, source.view.kind) {
        case (.text, .string), (.text, .escapedString):
            return BatchCell(kind: .text, bits: UInt64(source.view.index))
        case (.integer, .integer):
            return BatchCell(kind: .integer, bits: source.view.tapeNode.payload)
        case (.double, .double):
            return BatchCell(kind: .double, bits: source.view.tapeNode.payload)
        case (.boolean, .true): return BatchCell(kind: .integer, bits: 1)
        case (.boolean, .false): return BatchCell(kind: .integer, bits: 0)
        case (_, .null): return isOptional ? .null : nil
        default: return nil
        }
    }

    /// A Boolean value that indicates whether the observer or related objects receive values.
    private var reportsValues: Bool { batch.isWatched || batch.hasDependentObjects }

    /// Returns the value to assign to a column; `nil` if the validation of the mapping rejects it.
    @inline(__always)
    private func value(
        _ source: ValueSource, _ column: Int
    ) throws(MappingFailure) -> StoredValue? {
        let value: StoredValue
        if source.isMissing {
            let declared = (source.defaultForMissing as? any AttributeValue)?.storedValue
            value = declared ?? entity.layout.defaults[column]
        } else {
            value = try entity.layout.columns[column].reading.read(source)
        }
        guard let type = source.validatedType as? any AttributeValue.Type else { return value }
        return try validated(value, as: type, source)
    }

    /// Reports the value of a column to the observer and to related objects that read it.
    private func reportValue(_ source: ValueSource, _ column: Int) {
        let kind = entity.layout.columns[column].type.kind
        let value = kind.value(of: entity.value(row, column))
        if batch.isWatched, !source.isMissing { source.reportAssigned(value as Any) }
        if source.isReadByChildren, let value = value as? any MappableValue {
            source.keepForChildren(value)
        }
    }

    private func relate(
        _ index: Int, _ source: ValueSource
    ) throws(MappingFailure) {
        if source.fillsRelatedObject { return try fill(index, source) }
        let relation = batch.relation(entity.layout.index, index, source.assignment)
        let relationship = relation.relationship
        let row = row
        if source.isMissing { return batch.assign(EmptyCollection(), to: row, relation) }
        if relationship.isToMany {
            do throws(MappingFailure) {
                let count = try batch.assignMembers(of: source, to: row, relation)
                if batch.isWatched { source.reportAssigned(count) }
            } catch {
                batch.dropRows(within: source)
                throw error
            }
        } else if source.view.kind == .null {
            assign(EmptyCollection(), source, relation)
        } else if let member = try batch.member(of: source, relation) {
            assign(CollectionOfOne(member), source, relation)
        }
    }

    private func assign(
        _ members: some Collection<BatchMember>, _ source: ValueSource, _ relation: RelationBatch
    ) {
        batch.assign(members, to: row, relation)
        if batch.isWatched { source.reportAssigned(members.count) }
    }
}
