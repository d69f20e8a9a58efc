// SPDX-License-Identifier: Apache-2.0

/// `Set-Cookie` fields that Foundation has combined into one, contrary to RFC 9110 §5.3.
enum CombinedSetCookieField {
    /// Returns the field values as the server sent them.
    ///
    /// A comma before a name and an equals sign starts a field; a comma in a date is followed by a day.
    /// Only a cookie value that itself contains such a comma is split incorrectly.
    static func split(_ value: String) -> [String] {
        var fields: [Substring] = []
        var start = value.startIndex
        var position = start
        while let comma = value[position...].firstIndex(of: ",") {
            position = value.index(after: comma)
            let rest = value[position...].drop { $0 == " " }
            guard let end = rest.firstIndex(where: { "=;, ".contains($0) }), rest[end] == "=",
                end > rest.startIndex
            else { continue }
            fields.append(value[start..<comma])
            start = rest.startIndex
            position = start
        }
        fields.append(value[start...])
        return fields.map(String.init)
    }
}
