// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The invariants of reading a stream in chunks of any size.
package enum StreamInvariants {
    /// The documents of a reader, and its error.
    private struct Reading: Equatable {
        var texts: [[UInt8]] = []
        var error: DocumentError?
    }

    /// Reads an input in chunks.
    ///
    /// The first byte chooses the framing, the next four the chunk sizes.
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) {
        var source = ByteSource(input)
        let framing = source.byte() % 3
        let cuts = (0..<4).map { _ in Int(source.byte() & 0x3F) + 1 }
        let text = source.bytes(input.count)
        switch framing {
        case 0:
            try checkElements(text, .elements, "", cuts)
        case 1:
            let wrapped = Array(#"{"a":{"items":[0]},"items":"#.utf8) + text + #","z":"]"}"#.utf8
            try checkElements(wrapped, .elements(at: "items"), "items", cuts)
        default:
            try checkLines(text, cuts)
        }
    }

    private static func checkElements(
        _ text: [UInt8], _ framing: DocumentFraming, _ path: DocumentPath, _ cuts: [Int]
    ) throws(BrokenInvariant) {
        let reading = try cutAnywhere(text, framing, cuts)
        let document: Document
        do throws(DocumentError) {
            document = try Document(parsing: text)
        } catch {
            guard let other = reading.error else {
                throw BrokenInvariant(description: "what is no document is no stream: \(error)")
            }
            let early: [DocumentError.Code] = [.invalidUTF8, .missingArray, .duplicateKey]
            if early.contains(error.code) || early.contains(other.code) { return }
            try require(other.offset == error.offset, "the same location: \(other), \(error)")
            try require(other.code == error.code, "the same mistake: \(other), \(error)")
            return
        }
        let isRepeated = document.issues.contains { $0.path == path }
        guard !isRepeated, let array = document.root[path], array.kind == .array else {
            try require(reading.error != nil, "a stream without its array is rejected")
            return
        }
        try require(
            reading.error == nil, "a good stream is read: \(String(describing: reading.error))")
        let elements = array.elements.map { JSONWriter.compact.bytes(of: $0) }
        try require(reading.texts == elements, "the elements of the array are handed out")
    }

    private static func checkLines(_ text: [UInt8], _ cuts: [Int]) throws(BrokenInvariant) {
        let reading = try cutAnywhere(text, .lines, cuts)
        var texts: [[UInt8]] = []
        var isRefused = false
        for line in ByteOrderMark.skipped(in: text).split(separator: UInt8(ascii: "\n")) {
            if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
            guard !line.starts(with: ByteOrderMark.bytes),
                let document = try? Document(parsing: Array(line))
            else {
                isRefused = true
                break
            }
            texts.append(JSONWriter.compact.bytes(of: document))
        }
        try require(reading.texts == texts, "the lines before the first mistake are handed out")
        try require((reading.error != nil) == isRefused, "a line is rejected like a document")
    }

    /// Compares reading a text whole and in chunks.
    private static func cutAnywhere(
        _ text: [UInt8], _ framing: DocumentFraming, _ cuts: [Int]
    ) throws(BrokenInvariant) -> Reading {
        let whole = read(text, framing, [text.count + 1])
        let pieces = read(text, framing, cuts)
        try require(whole.texts == pieces.texts, "cuts do not change the documents")
        try require(
            whole.error == pieces.error,
            "cuts do not change the error: \(String(describing: whole.error)), "
                + "\(String(describing: pieces.error))")
        if let error = whole.error {
            try require(
                error.offset >= 0 && error.offset <= text.count, "an offset inside the text")
        }
        return whole
    }

    private static func read(
        _ text: [UInt8], _ framing: DocumentFraming, _ cuts: [Int]
    ) -> Reading {
        var reader = ElementReader(framing)
        var reading = Reading()
        var rest = text[...]
        var turn = 0
        do throws(DocumentError) {
            while !rest.isEmpty {
                let size = cuts[turn % cuts.count]
                turn += 1
                reader.append(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let document = try reader.next() {
                    reading.texts.append(JSONWriter.compact.bytes(of: document))
                }
            }
            reader.finish()
            while let document = try reader.next() {
                reading.texts.append(JSONWriter.compact.bytes(of: document))
            }
        } catch {
            reading.error = error
        }
        return reading
    }
}
