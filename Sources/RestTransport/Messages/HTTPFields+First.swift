// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPFields {
    /// The value of the first field of a name, where one is all there can be.
    ///
    /// The subscript joins all of them to a new text.
    func first(_ name: HTTPField.Name) -> String? {
        guard contains(name) else { return nil }
        for field in self where field.name == name { return field.value }
        return nil
    }
}
