// SPDX-License-Identifier: Apache-2.0

/// Set-Cookie fields that Foundation has joined to one, against RFC 9110 §5.3.
enum JoinedCookies {
    /// The fields as the server sent them.
    ///
    /// A comma that a name and an equals sign follow begins a field; one in a date is followed by a
    /// day. Only a value that holds such a comma itself is told apart wrongly.
    static func fields(of value: String) -> [String] {
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
