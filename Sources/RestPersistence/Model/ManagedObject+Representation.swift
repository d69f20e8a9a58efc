// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RestMapping

extension ManagedObject: RequestSubject {
    /// Writes an attribute by the type of its column, or the destinations of a relationship.
    ///
    /// The destinations of a to-many relationship are written in the order of their keys.
    public final func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch layout.properties[property] {
        case .attribute(let column):
            try write(storedValue(property), of: layout.columns[column].type, to: &writer)
        case .relationship(let index):
            let relationship = layout.relationships[index]
            let related = (try? self.related(relationship.name)) ?? []
            if relationship.isToMany {
                try writer.objects(related)
            } else if let object = related.first {
                try writer.object(object)
            } else {
                writer.writeNil()
            }
        }
    }

    /// Returns a Boolean value that indicates whether a table describes the object's entity.
    public final func isSubject(of table: PropertyTable) -> Bool {
        table.subject == nil && table.name == layout.name
    }

    private final func write(
        _ value: StoredValue, of type: AttributeType, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch type.kind {
        case .integer: try writer.write(Int64(storedValue: value))
        case .unsignedInteger: try writer.write(UInt64(storedValue: value))
        case .double: try writer.write(Double(storedValue: value))
        case .decimal: try writer.write(Decimal(storedValue: value))
        case .text: try writer.write(String(storedValue: value))
        case .boolean: try writer.write(Bool(storedValue: value))
        case .date: try writer.write(Date(storedValue: value))
        case .day: try writer.write(CalendarDate(storedValue: value))
        case .uuid: try writer.write(UUID(storedValue: value))
        case .url: try writer.write(URL(storedValue: value))
        case .data: try writer.write(Data(storedValue: value))
        case .json:
            if let root = JSONColumn.root(of: value) {
                try writer.value(root)
            } else {
                writer.writeNil()
            }
        }
    }
}
