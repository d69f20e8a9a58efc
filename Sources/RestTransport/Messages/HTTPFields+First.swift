// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// Returns the value of the first field with a name, for fields that occur at most once.
    ///
    /// This avoids the new string that the subscript makes to join several fields.
    package func first(_ name: HTTPField.Name) -> String? {
        guard contains(name) else { return nil }
        for field in self where field.name == name { return field.value }
        return nil
    }

    /// Returns the values of the fields with a name, joined by commas; `nil` if there are none.
    ///
    /// The string of a single field, as usual, is not a new one.
    package func combined(_ name: HTTPField.Name) -> String? {
        guard contains(name) else { return nil }
        var text: String?
        for field in self where field.name == name {
            text = text.map { "\($0), \(field.value)" } ?? field.value
        }
        return text
    }
}
