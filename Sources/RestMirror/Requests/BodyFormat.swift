// SPDX-License-Identifier: Apache-2.0

import RestCompression
import RestDefinition
import RestDocument
import RestTransport

/// The reading of bodies as documents.
struct BodyFormat: Sendable {
    let format: ResponseFormat
    let formats: FormatRegistry

    /// The maximum number of bytes of a decompressed body.
    private static let maximumByteCount = 1 << 30

    /// Returns the document of a body: the JSON document, or a list of the lines of a file.
    ///
    /// - Throws: ``MirrorError`` with code `unreadableResponse`.
    func document(of body: [UInt8]) throws(MirrorError) -> Document {
        do {
            let bytes = format.isCompressed ? try Self.decompressed(body) : body
            switch format.syntax {
            case .json: return try Document(parsing: bytes)
            case .jsonLines: return try Document(parsing: Self.list(ofLines: bytes))
            case .csv: return CSVReader.document(of: bytes)
            case .xml: return try formats.read(bytes, as: MediaType("application/xml"))
            }
        } catch let error as MirrorError {
            throw error
        } catch {
            throw MirrorError(
                .unreadableResponse,
                details: ["the body is no \(format.syntax.rawValue): \(error)"],
                underlying: error)
        }
    }

    /// Returns the content of a file of gzip.
    private static func decompressed(_ body: [UInt8]) throws -> [UInt8] {
        let inflater = Inflater(.gzip)
        var input = body[...]
        var output: [UInt8] = []
        while case let part = try inflater.decode(&input), !part.isEmpty {
            output += part
            guard output.count <= maximumByteCount else {
                throw MirrorError(
                    .unreadableResponse,
                    details: ["the file has more than \(maximumByteCount) bytes when decompressed"])
            }
        }
        guard !inflater.isTruncated else {
            throw MirrorError(.unreadableResponse, details: ["the file of gzip ends too early"])
        }
        return output
    }

    /// Returns the text of a list with the documents of lines.
    private static func list(ofLines bytes: [UInt8]) -> [UInt8] {
        var list: [UInt8] = [UInt8(ascii: "[")]
        list.reserveCapacity(bytes.count + 2)
        for line in bytes.split(separator: 0x0A) {
            let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
            if isBlank { continue }
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += line
        }
        list.append(UInt8(ascii: "]"))
        return list
    }
}

/// A reader of tables with the names of the columns in the first line.
///
/// - Source: RFC 4180.
enum CSVReader {
    /// Returns a list with an object of texts for each line; an empty field without quotes is null.
    static func document(of bytes: [UInt8]) -> Document {
        var rows = Rows(bytes: bytes)
        var builder = DocumentBuilder()
        builder.beginArray()
        let names = rows.next()?.map { $0 ?? "" } ?? []
        while let fields = rows.next() {
            if fields.count == 1, fields[0] == nil { continue }
            builder.beginObject()
            var seen: Set<String> = []
            for (name, field) in zip(names, fields) where seen.insert(name).inserted {
                builder.key(name)
                if let field { builder.string(field) } else { builder.null() }
            }
            builder.end()
        }
        builder.end()
        return builder.finish()
    }

    private struct Rows {
        let bytes: [UInt8]
        var offset: Int

        init(bytes: [UInt8]) {
            self.bytes = bytes
            offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        }

        mutating func next() -> [String?]? {
            guard offset < bytes.count else { return nil }
            var fields: [String?] = []
            while true {
                fields.append(field())
                guard offset < bytes.count else { return fields }
                let byte = bytes[offset]
                offset += 1
                if byte == UInt8(ascii: ",") { continue }
                if byte == 0x0D, offset < bytes.count, bytes[offset] == 0x0A { offset += 1 }
                return fields
            }
        }

        private mutating func field() -> String? {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
                let start = offset
                while offset < bytes.count,
                    ![UInt8(ascii: ","), 0x0D, 0x0A].contains(bytes[offset])
                {
                    offset += 1
                }
                return start == offset
                    ? nil : String(decoding: bytes[start..<offset], as: UTF8.self)
            }
            offset += 1
            var text: [UInt8] = []
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                if byte != UInt8(ascii: "\"") {
                    text.append(byte)
                } else if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
                    text.append(byte)
                    offset += 1
                } else {
                    break
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
