// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// The check whether the type of an attribute can represent a value of its column.
///
/// Columns whose storage class has no other values have none, so that their values cost nothing.
struct StoredValueCheck: Sendable {
    /// The type of the attribute.
    let type: Any.Type
    /// Returns a Boolean value that indicates whether the type can represent a value other than null.
    let isReadable: @Sendable (StoredValue) -> Bool

    /// Creates the check of a type; `nil` if it can represent all values of its storage class.
    init?<Value: AttributeValue>(_ type: Value.Type) {
        let unrestricted: [Any.Type] = [
            Int.self, Int64.self, Double.self, Float.self, String.self, Bool.self, Data.self,
            Int?.self, Int64?.self, Double?.self, Float?.self, String?.self, Bool?.self, Data?.self,
        ]
        if unrestricted.contains(where: { $0 == type }) { return nil }
        self.init(type) { Value(storedValue: $0) != nil }
    }

    /// Creates the check of an attribute without a class; `nil` if its column has no other values.
    init?(_ kind: AttributeType.Kind) {
        if let type = kind.storage.valueType {
            self.init(type)
        } else {
            self.init(Document.self) { JSONColumn.root(of: $0) != nil }
        }
    }

    private init(_ type: Any.Type, _ isReadable: @escaping @Sendable (StoredValue) -> Bool) {
        self.type = type
        self.isReadable = isReadable
    }
}

extension EntityLayout {
    /// Returns the error of the first attribute in a row whose type cannot represent the stored value;
    /// `nil` if there is none.
    package func unreadableValue(
        in row: RowValues, _ id: @autoclosure () -> ManagedObjectID
    ) -> PersistenceError? {
        for column in checkedColumns {
            if let error = unreadableValue(column, in: row, id()) { return error }
        }
        return nil
    }

    /// Returns the error of a column whose type cannot represent the stored value; `nil` if it can.
    package func unreadableValue(
        _ column: Int, in row: RowValues, _ id: @autoclosure () -> ManagedObjectID
    ) -> PersistenceError? {
        guard !row[column].isNull, let check = columns[column].check, !check.isReadable(row[column])
        else { return nil }
        return PersistenceError(
            unreadable: row[column], columns[column].name, id(), as: check.type)
    }
}
