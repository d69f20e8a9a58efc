// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport

/// A writer of multipart messages for third-party decoders.
///
/// Standard input is a sequence of forms: a seed of eight bytes for the boundary, the number of parts,
/// and for each part its kind (`b` in memory, `s` a stream of known length, `u` a stream of unknown
/// length), name, file name, content type and data. Standard output has a result for each form:
/// content type and body, or `!` with the error's code and an empty body. Strings and data are
/// prefixed with their length, four bytes in little-endian order; the length of an absent file name or
/// content type is -1.
@main
enum MultipartMessages {
    static func main() async throws {
        var input = Input(bytes: try FileHandle.standardInput.readToEnd() ?? Data())
        while !input.isAtEnd {
            var generator = SplitMix(state: input.word())
            var form = MultipartForm()
            var answer: [[UInt8]]
            do {
                for part in (0..<input.number()).map({ _ in input.part() }) {
                    try form.add(
                        part.body, named: part.name, fileName: part.fileName,
                        contentType: part.contentType)
                }
                let message = try form.message(using: &generator)
                answer = [Array(message.contentType.utf8), try await read(message.body)]
            } catch let error as TransportError {
                answer = [Array("!\(error.code)".utf8), []]
            }
            var output = Data()
            for bytes in answer {
                output.append(contentsOf: (0..<4).map { UInt8(bytes.count >> ($0 * 8) & 0xFF) })
                output.append(contentsOf: bytes)
            }
            try FileHandle.standardOutput.write(contentsOf: output)
        }
    }

    private static func read(_ body: MessageBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in body.chunks { bytes += chunk }
        guard body.byteCount == nil || body.byteCount == bytes.count else {
            fatalError("a message of \(bytes.count) bytes announced \(body.byteCount ?? 0)")
        }
        return bytes
    }
}

/// The generator that the script shares, so that it can place boundaries inside parts.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// A part of a form.
private struct Part {
    let body: MessageBody
    let name: String
    let fileName: String?
    let contentType: String?
}

/// A reader of numbers and strings at the front of a byte sequence.
private struct Input {
    let bytes: Data
    var position = 0

    init(bytes: Data) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number() -> Int {
        position += 4
        let word = bytes[(position - 4)..<position].reversed().reduce(UInt32(0)) {
            $0 << 8 | UInt32($1)
        }
        return Int(Int32(bitPattern: word))
    }

    mutating func word() -> UInt64 {
        position += 8
        return bytes[(position - 8)..<position].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func data() -> [UInt8]? {
        let count = number()
        guard count >= 0 else { return nil }
        position += count
        return Array(bytes[(position - count)..<position])
    }

    mutating func text() -> String? {
        data().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func part() -> Part {
        let kind = text()
        let (name, fileName, contentType) = (text() ?? "", text(), text())
        let data = data() ?? []
        let body =
            switch kind {
            case "s": MessageBody.stream(byteCount: data.count) { Self.chunks(of: data) }
            case "u": MessageBody.stream { Self.chunks(of: data) }
            default: MessageBody.bytes(data)
            }
        return Part(body: body, name: name, fileName: fileName, contentType: contentType)
    }

    private static func chunks(of data: [UInt8]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: data.count, by: 1 << 16) {
                continuation.yield(Array(data[start..<min(start + 1 << 16, data.count)]))
            }
            continuation.finish()
        }
    }
}
