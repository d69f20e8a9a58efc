// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// A parser for forms that groups the values of each name.
struct FormReader {
    /// A name with a linked list of values.
    private struct Field {
        let name: String
        let first: Int
        var last: Int
        var count = 1
    }

    private let input: [UInt8]
    private let limits: ParseLimits

    private var fields: [Field] = []
    private var fieldOfName: [MemberKey: Int] = [:]
    /// All values in the order of the form.
    private var values: [String?] = []
    /// For each value the index of the next value with the same name; -1 at the end.
    private var following: [Int] = []
    /// The number of names with several values.
    private var arrayCount = 0
    private var decoded: [UInt8] = []

    init(_ input: [UInt8], limits: ParseLimits) {
        self.input = input
        self.limits = limits
    }

    mutating func document() throws(DocumentError) -> Document {
        guard input.count <= limits.byteCount else {
            throw error(
                .limitExceeded, at: limits.byteCount, nil,
                "at most \(limits.byteCount) bytes, found \(input.count)")
        }
        try require(depth: 1, at: 0, nil)
        var start = 0
        while start < input.count {
            let end = input[start...].firstIndex(of: UInt8(ascii: "&")) ?? input.count
            if end > start { try readPair(input[start..<end]) }
            start = end + 1
        }
        return built()
    }

    private mutating func readPair(_ pair: ArraySlice<UInt8>) throws(DocumentError) {
        let equals = pair.firstIndex(of: UInt8(ascii: "="))
        let name = try text(pair[..<(equals ?? pair.endIndex)], nil)
        guard values.count < limits.memberCount else {
            throw error(
                .limitExceeded, at: pair.startIndex, name,
                "at most \(limits.memberCount) pairs")
        }
        let index = values.count
        let known = fieldOfName[MemberKey(name)]
        if known != nil { try require(depth: 2, at: pair.startIndex, name) }
        if let equals {
            values.append(try text(pair[(equals + 1)...], name))
        } else {
            values.append(nil)
        }
        following.append(-1)
        if let known {
            following[fields[known].last] = index
            fields[known].last = index
            fields[known].count += 1
            if fields[known].count == 2 { arrayCount += 1 }
        } else {
            fieldOfName[MemberKey(name)] = fields.count
            fields.append(Field(name: name, first: index, last: index))
        }
        // Counts the object, its keys, the arrays and the values.
        guard 1 + fields.count + arrayCount + values.count <= limits.nodeCount else {
            throw error(
                .limitExceeded, at: pair.startIndex, name,
                "at most \(limits.nodeCount) values and keys")
        }
    }

    private func built() -> Document {
        var builder = DocumentBuilder(
            minimumByteCount: input.count + 2,
            minimumNodeCount: 1 + fields.count + arrayCount + values.count)
        builder.beginObject()
        for field in fields {
            builder.key(field.name)
            if field.count > 1 { builder.beginArray() }
            var index = field.first
            while index >= 0 {
                if let value = values[index] { builder.string(value) } else { builder.null() }
                index = following[index]
            }
            if field.count > 1 { builder.end() }
        }
        builder.end()
        return builder.finish()
    }

    /// Decodes a name, or a value of a name.
    private mutating func text(
        _ written: ArraySlice<UInt8>, _ name: String?
    ) throws(DocumentError) -> String {
        guard written.count <= limits.stringByteCount else {
            throw error(
                .limitExceeded, at: written.startIndex, name,
                "at most \(limits.stringByteCount) bytes in a name or value")
        }
        decoded.removeAll(keepingCapacity: true)
        var offset = written.startIndex
        while offset < written.endIndex {
            let (byte, length) = PercentEncoding.formByte(of: written[offset...])
            decoded.append(byte)
            offset += length
        }
        // `String(decoding:)` replaces bytes that are not UTF-8. Comparing afterwards is much
        // faster than `String(validating:)`, which iterates over every scalar.
        let text = String(decoding: decoded, as: UTF8.self)
        guard text.utf8.elementsEqual(decoded) else {
            throw error(
                .invalidUTF8, at: offsetOfInvalidUTF8(in: written), name,
                "well-formed UTF-8, once decoded")
        }
        return text
    }

    /// Returns the offset of the first sequence in the form that is not UTF-8 after decoding.
    private func offsetOfInvalidUTF8(in written: ArraySlice<UInt8>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = decoded.makeIterator()
        var validCount = 0
        while case .valid(let scalar) = parser.parseScalar(from: &bytes) {
            validCount += scalar.count
        }
        var offset = written.startIndex
        for _ in 0..<validCount {
            offset += PercentEncoding.formByte(of: written[offset...]).length
        }
        return offset
    }

    private func require(
        depth: Int, at offset: Int, _ name: String?
    ) throws(DocumentError) {
        guard depth <= limits.depth else {
            throw error(
                .limitExceeded, at: offset, name,
                "at most \(limits.depth) nested containers")
        }
    }

    private func error(
        _ code: DocumentError.Code, at offset: Int, _ name: String?,
        _ expected: String
    ) -> DocumentError {
        var (line, lineStart) = (1, 0)
        for position in 0..<min(offset, input.count) where input[position] == 0x0A {
            line += 1
            lineStart = position + 1
        }
        return DocumentError(
            code, offset: offset, line: line, column: offset - lineStart + 1,
            path: name.map { DocumentPath([.key($0)]) } ?? .root, expected: expected)
    }
}
