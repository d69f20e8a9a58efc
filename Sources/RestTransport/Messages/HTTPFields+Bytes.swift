// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// Returns the bytes of all values of a name, joined by commas; `nil` if there is none.
    ///
    /// Values that are compared or sent back are handled as bytes, because RFC 9110 §5.5 allows
    /// bytes above 127 in any encoding.
    package func bytes(of name: HTTPField.Name) -> [UInt8]? {
        guard contains(name) else { return nil }
        return Array(self[fields: name].map(\.valueBytes).joined(separator: [0x2C, 0x20]))
    }

    /// Sets or removes a field whose value is given as bytes.
    package mutating func set(_ bytes: [UInt8]?, for name: HTTPField.Name) {
        self[fields: name] = bytes.map { [HTTPField(name: name, lenientValue: $0)] } ?? []
    }
}
