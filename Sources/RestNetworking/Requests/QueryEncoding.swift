// SPDX-License-Identifier: Apache-2.0

/// Writes parameters as the query of a URL.
///
/// Names sort without regard to case. Lists add `[]` to the name, named values `[name]`; a null is
/// a name without `=`, a boolean `1` or `0`, a space `%20`.
enum QueryEncoding {
    /// How deep values may be nested.
    static let maximumDepth = 32

    /// The query without its question mark.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if a value is
    ///   nested deeper than ``maximumDepth`` or is no finite number.
    static func query(_ parameters: RequestParameters) throws(NetworkingError) -> String {
        var bytes: [UInt8] = []
        try append(parameters, prefix: nil, depth: 0, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A path with parameters added to the query it may have already.
    static func path(
        _ path: String, adding parameters: RequestParameters
    ) throws(NetworkingError) -> String {
        guard !parameters.isEmpty else { return path }
        let query = try query(parameters)
        guard !query.isEmpty else { return path }
        let joint = path.contains("?") ? (path.last == "?" || path.last == "&" ? "" : "&") : "?"
        return path + joint + query
    }

    private static func append(
        _ parameters: RequestParameters, prefix: [UInt8]?, depth: Int, to bytes: inout [UInt8]
    ) throws(NetworkingError) {
        let sorted = parameters.entries.enumerated().sorted { left, right in
            let (leftName, rightName) = (
                left.element.name.lowercased(), right.element.name.lowercased()
            )
            return (leftName, left.offset) < (rightName, right.offset)
        }
        for (_, entry) in sorted {
            var name: [UInt8] = prefix ?? []
            if prefix != nil { name.append(UInt8(ascii: "[")) }
            appendName(entry.name, to: &name)
            if prefix != nil { name.append(UInt8(ascii: "]")) }
            try append(entry.value, name: name, depth: depth, to: &bytes)
        }
    }

    private static func append(
        _ value: RequestParameters.Value, name: [UInt8], depth: Int, to bytes: inout [UInt8]
    ) throws(NetworkingError) {
        guard depth <= maximumDepth else {
            throw refusal("parameters are nested deeper than \(maximumDepth)")
        }
        switch value {
        case .array(let values):
            for value in values {
                try append(value, name: name + Array("[]".utf8), depth: depth + 1, to: &bytes)
            }
        case .object(let parameters):
            try append(parameters, prefix: name, depth: depth + 1, to: &bytes)
        case .null:
            appendPair(name, nil, to: &bytes)
        case .boolean(let value):
            appendPair(name, value ? "1" : "0", to: &bytes)
        case .integer(let value):
            appendPair(name, String(value), to: &bytes)
        case .unsigned(let value):
            appendPair(name, String(value), to: &bytes)
        case .double(let value):
            guard value.isFinite else {
                throw refusal("a parameter is no finite number")
            }
            appendPair(name, String(value), to: &bytes)
        case .string(let value):
            appendPair(name, value, to: &bytes)
        }
    }

    private static func appendPair(_ name: [UInt8], _ value: String?, to bytes: inout [UInt8]) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += name
        guard let value else { return }
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.appendEncoded(value.utf8, to: &bytes)
    }

    /// Appends a name, in which brackets stay as they are.
    private static func appendName(_ name: String, to bytes: inout [UInt8]) {
        for byte in name.utf8 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") {
                bytes.append(byte)
            } else {
                PercentEncoding.appendEncoded(CollectionOfOne(byte), to: &bytes)
            }
        }
    }

    private static func refusal(_ cause: String) -> NetworkingError {
        NetworkingError(.invalidRequest, stage: .assembly, causes: [cause])
    }
}
