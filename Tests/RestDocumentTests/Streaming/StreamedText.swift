// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

/// The documents and the error of a reader for a text that arrives in chunks.
struct StreamedText {
    /// The chunk sizes, with which chunks end at every possible offset.
    static let cuts = [1, 2, 3, 7, 64]

    /// The documents before the end or the error.
    var documents: [Document] = []
    var error: DocumentError?

    init(
        _ bytes: some Collection<UInt8>, cut: Int = .max, _ framing: DocumentFraming = .elements,
        limits: ParseLimits = .default, totalByteCount: Int = .max
    ) {
        var reader = ElementReader(framing, limits: limits, totalByteCount: totalByteCount)
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                reader.append(rest.prefix(cut))
                rest = rest.dropFirst(cut)
                while let document = try reader.next() { documents.append(document) }
            }
            reader.finish()
            while let document = try reader.next() { documents.append(document) }
        } catch {
            self.error = error
        }
    }

    init(
        _ text: String, cut: Int = .max, _ framing: DocumentFraming = .elements,
        limits: ParseLimits = .default, totalByteCount: Int = .max
    ) {
        self.init(
            Array(text.utf8), cut: cut, framing, limits: limits, totalByteCount: totalByteCount)
    }

    /// The documents as compact text.
    var texts: [String] { documents.map { JSONWriter.compact.text(of: $0) } }
}

/// An array around a text, alone or inside an object, and the path of its first element.
struct Wrapper: Sendable, CustomTestStringConvertible {
    let prefix: String
    let suffix: String
    let framing: DocumentFraming
    let path: DocumentPath

    static let all = [
        Wrapper(prefix: "[", suffix: "]", framing: .elements, path: "[0]"),
        Wrapper(
            prefix: #"{"a":1,"items":["#, suffix: #"],"z":2}"#, framing: .elements(at: "items"),
            path: "items[0]"),
        Wrapper(
            prefix: #" [ {"a" : { "b" : [[ 1 ] , "# + "\n" + #" "]", {}]}}, { "x.y" : [ 1, ["#,
            suffix: #"] , 1E4]} , "}" ]"#, framing: .elements(at: "[1].x\\.y[1]"),
            path: "[1].x\\.y[1][0]"),
    ]

    var testDescription: String { prefix }

    func wrap(_ bytes: [UInt8]) -> [UInt8] { Array(prefix.utf8) + bytes + Array(suffix.utf8) }
}
