// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RestMapping

extension ManagedObject: RequestSubject {
    /// Writes an attribute by the type of its column, or the destinations of a relationship.
    ///
    /// The destinations of a to-many relationship are written in the order of their keys.
    ///
    /// - Throws: `MappingFailure` if the value has no representation, the type of the column cannot
    ///   represent the stored value, the row was deleted before it was read, or the store cannot be read.
    ///   The server's value would be overwritten otherwise.
    public final func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        noteWriting(of: layout.properties[property])
        if !isLoaded { load() }
        try checkRead(&writer)
        if hasSubstitutes {
            throw writer.failed(
                .missingValue, "a value of an object that exists",
                found: "\(objectID), which was deleted before it was read")
        }
        switch layout.properties[property] {
        case .attribute(let column):
            let value = storedValue(property)
            try write(value, of: layout.columns[column], to: &writer)
        case .relationship(let index):
            let relationship = layout.relationships[index]
            let related = (try? self.related(relationship.name)) ?? []
            try checkRead(&writer)
            if relationship.isToMany {
                try writer.objects(related)
            } else if let object = related.first {
                try writer.object(object)
            } else {
                writer.writeNil()
            }
        }
    }

    /// Records that a request contains a property, if one of the object is assembled.
    final func noteWriting(of property: PropertyIndex) {
        guard context.requests.written?.key == objectID.key else { return }
        context.requests.written?.insert(property)
    }

    /// Checks that the context could read what it was asked for.
    private final func checkRead(_ writer: inout RequestWriter) throws(MappingFailure) {
        guard let error = context.errors.failure else { return }
        throw writer.failed(
            .missingValue, "a value that can be read",
            found: "the error \(error.code) of reading \(objectID)")
    }

    /// Returns a Boolean value that indicates whether a table describes the object's entity.
    public final func isSubject(of table: PropertyTable) -> Bool {
        table.subject == nil && table.name == layout.name
    }

    private final func write(
        _ value: StoredValue, of column: ColumnLayout, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch column.type.kind {
        case .integer: try write(value, as: Int64.self, of: column, to: &writer)
        case .unsignedInteger: try write(value, as: UInt64.self, of: column, to: &writer)
        case .double: try write(value, as: Double.self, of: column, to: &writer)
        case .decimal: try write(value, as: Decimal.self, of: column, to: &writer)
        case .text: try write(value, as: String.self, of: column, to: &writer)
        case .boolean: try write(value, as: Bool.self, of: column, to: &writer)
        case .date: try write(value, as: Date.self, of: column, to: &writer)
        case .day: try write(value, as: CalendarDate.self, of: column, to: &writer)
        case .uuid: try write(value, as: UUID.self, of: column, to: &writer)
        case .url: try write(value, as: URL.self, of: column, to: &writer)
        case .data: try write(value, as: Data.self, of: column, to: &writer)
        case .json:
            if let root = JSONColumn.root(of: value) {
                try writer.value(root)
            } else if value.isNull {
                writer.writeNil()
            } else {
                try writeUnreadable(value, of: column, to: &writer)
            }
        }
    }

    private final func write<Value: AttributeValue>(
        _ stored: StoredValue, as type: Value.Type, of column: ColumnLayout,
        to writer: inout RequestWriter
    ) throws(MappingFailure) {
        if let value = Value?(storedValue: stored) {
            try writer.write(value)
        } else {
            try writeUnreadable(stored, of: column, to: &writer)
        }
    }

    private final func writeUnreadable(
        _ stored: StoredValue, of column: ColumnLayout, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        guard context.requests.writesUnreadableValues, case .text(let text) = stored else {
            throw writer.failed(
                .malformedValue, "a value of the type \(column.type)",
                found: "the \(stored.kind) of \(objectID).\(column.name)")
        }
        writer.string(text)
    }
}
