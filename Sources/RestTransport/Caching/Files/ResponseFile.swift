// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file with the responses of one cache key, the most recently stored one last.
///
/// File format, with numbers in little-endian order: eight bytes that identify the format, 16 bytes
/// with the SipHash of the rest, the key, the responses. Text and lists have a four-byte count and
/// then their content.
struct ResponseFile {
    /// The location of a body.
    enum Body: Equatable {
        /// In the same file.
        case inline(ArraySlice<UInt8>)
        /// In a separate file, whose name ends with the number.
        case separate(number: UInt64, hash: UInt128)
    }

    struct Response {
        var entry: CacheEntry
        let body: Body
    }

    /// The part of a file that is corrupt.
    enum Corruption: String, Error {
        case format
        case length
        case checksum
        case content
    }

    static let format = Array("RKcache1".utf8)

    let key: CacheKey
    var responses: [Response] = []

    /// Creates a file without responses.
    init(key: CacheKey) {
        self.key = key
    }

    /// The numbers of the separate files with bodies.
    var bodyNumbers: [UInt64] {
        responses.compactMap {
            if case .separate(let number, _) = $0.body { number } else { nil }
        }
    }
}

// MARK: Writing

extension ResponseFile {
    /// Returns the bytes of the file.
    func bytes(hash: SipHash) -> [UInt8] {
        var content = ContentWriter()
        content.write(key.url)
        content.write(key.partition != nil)
        content.write(key.partition ?? "")
        content.write(UInt32(responses.count))
        for response in responses { write(response, to: &content) }
        var file = ContentWriter()
        file.bytes.reserveCapacity(content.bytes.count + 24)
        file.bytes += Self.format
        file.write(hash.hash(content.bytes[...]))
        file.bytes += content.bytes
        return file.bytes
    }

    private func write(_ response: Response, to content: inout ContentWriter) {
        let entry = response.entry
        content.write(entry.id)
        content.write(entry.requestDate.timeIntervalSinceReferenceDate.bitPattern)
        content.write(entry.responseDate.timeIntervalSinceReferenceDate.bitPattern)
        content.write(entry.isMapped)
        content.write(UInt16(entry.head.status.code))
        content.write(entry.head.status.reasonPhrase)
        content.write(entry.head.headerFields)
        content.write(entry.selectingFields)
        content.write(UInt64(entry.bodyByteCount))
        switch response.body {
        case .inline(let bytes):
            content.write(false)
            content.write(bytes)
        case .separate(let number, let hash):
            content.write(true)
            content.write(number)
            content.write(hash)
        }
    }
}

// MARK: Reading

extension ResponseFile {
    /// Creates the responses from the bytes of a file.
    init(_ file: [UInt8], hash: SipHash) throws(Corruption) {
        guard file.starts(with: Self.format) else { throw .format }
        guard file.count >= 24 else { throw .length }
        var head = ContentReader(file[8..<24])
        guard try head.number(UInt128.self) == hash.hash(file[24...]) else { throw .checksum }
        var content = ContentReader(file[24...])
        let url = try content.text()
        let hasPartition = try content.flag()
        let partition = try content.text()
        key = CacheKey(url: url, partition: hasPartition ? partition : nil)
        for _ in 0..<(try content.number(UInt32.self)) {
            responses.append(try Self.response(from: &content, key: key))
        }
        guard content.isAtEnd else { throw .content }
    }

    private static func response(
        from content: inout ContentReader, key: CacheKey
    ) throws(Corruption) -> Response {
        let id = try content.number(UInt64.self)
        let requestDate = try content.date()
        let responseDate = try content.date()
        let isMapped = try content.flag()
        let code = Int(try content.number(UInt16.self))
        guard code <= 999 else { throw .content }
        let reason = try content.text()
        let head = HTTPResponse(
            status: HTTPResponse.Status(code: code, reasonPhrase: reason),
            headerFields: try content.fields())
        let selectingFields = try content.fields()
        guard let byteCount = Int(exactly: try content.number(UInt64.self)) else {
            throw .content
        }
        var entry = CacheEntry(
            key: key, id: id, selectingFields: selectingFields, head: head,
            requestDate: requestDate,
            responseDate: responseDate, bodyByteCount: byteCount)
        entry.isMapped = isMapped
        if try content.flag() {
            let number = try content.number(UInt64.self)
            let body = Body.separate(number: number, hash: try content.number(UInt128.self))
            return Response(entry: entry, body: body)
        }
        let bytes = try content.slice()
        guard bytes.count == byteCount else { throw .content }
        return Response(entry: entry, body: .inline(bytes))
    }
}

// MARK: Content

private struct ContentWriter {
    var bytes: [UInt8] = []

    mutating func write(_ number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<(number.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    mutating func write(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func write(_ slice: ArraySlice<UInt8>) {
        write(UInt32(slice.count))
        bytes += slice
    }

    mutating func write(_ text: String) {
        write(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func write(_ fields: HTTPFields) {
        write(UInt32(fields.count))
        for field in fields {
            write(field.name.rawName)
            write(field.valueBytes[...])
        }
    }
}

/// A reader of bytes from ``ContentWriter``, which throws for any other bytes and never traps.
private struct ContentReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type
    ) throws(ResponseFile.Corruption) -> Number {
        let count = Number.bitWidth / 8
        guard rest.count >= count else { throw .content }
        var number: Number = 0
        for byte in rest.prefix(count).reversed() { number = number << 8 | Number(byte) }
        rest = rest.dropFirst(count)
        return number
    }

    mutating func flag() throws(ResponseFile.Corruption) -> Bool {
        try number(UInt8.self) != 0
    }

    mutating func slice() throws(ResponseFile.Corruption) -> ArraySlice<UInt8> {
        let count = Int(try number(UInt32.self))
        guard rest.count >= count else { throw .content }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() throws(ResponseFile.Corruption) -> String {
        String(decoding: try slice(), as: UTF8.self)
    }

    mutating func date() throws(ResponseFile.Corruption) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number(UInt64.self)))
    }

    mutating func fields() throws(ResponseFile.Corruption) -> HTTPFields {
        var fields = HTTPFields()
        for _ in 0..<(try number(UInt32.self)) {
            guard let name = HTTPField.Name(try text()) else { throw .content }
            fields.append(HTTPField(name: name, lenientValue: try slice()))
        }
        return fields
    }
}
