// SPDX-License-Identifier: Apache-2.0

/// The properties of an object that have been written into a request, or read for its path.
package struct WrittenProperties {
    package let key: Int64
    private var attributes = ColumnMask()
    package private(set) var relationships: Set<Int> = []

    package init(key: Int64) { self.key = key }

    package mutating func insert(_ property: PropertyIndex) {
        switch property {
        case .attribute(let column): attributes.insert(column)
        case .relationship(let index): relationships.insert(index)
        }
    }

    /// Returns the columns of the object's row that have the properties.
    package func columns(in model: ManagedObjectModel, of layout: EntityLayout) -> ColumnMask {
        var columns = attributes
        for index in relationships {
            let relationship = layout.relationships[index]
            guard case .column(let column) = relationship.storage else { continue }
            columns.insert(column)
            let inverse = relationship.inverse.map {
                model.layouts[relationship.destination].relationships[$0].storage
            }
            // The place in the list of the destination.
            if case .inverseColumn(_, let position?) = inverse { columns.insert(position) }
        }
        return columns
    }
}
