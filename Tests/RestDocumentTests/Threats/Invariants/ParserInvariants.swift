// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The invariants of parsing.
package enum ParserInvariants {
    /// Parses an input and checks the document or the error.
    ///
    /// - Returns: A Boolean value that indicates whether the input was accepted.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let document: Document
        do throws(DocumentError) {
            document = try Document(parsing: input)
        } catch {
            try checkError(error, of: input)
            return false
        }
        let tape = try ExpectedTape(document)
        try ValueInvariants.check(document)
        try checkKeys(document, tape, input)
        try checkPaths(document, tape)
        try checkWriting(document, input)
        try checkLimits(document, tape, input)
        return true
    }

    // MARK: Errors

    private static func checkError(
        _ error: DocumentError, of input: [UInt8]
    ) throws(BrokenInvariant) {
        try require(error.offset >= 0 && error.offset <= input.count, "an offset inside the input")
        let before = input.prefix(error.offset)
        let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        try require(
            error.line == before.count { $0 == UInt8(ascii: "\n") } + 1, "the line of the offset")
        try require(error.column == error.offset - lineStart + 1, "the column of the offset")
        try require(error.path.components.count <= 512, "at most 512 components")
        let text = error.description
        try require(text.hasPrefix("\(error.code)"), "a description that begins with the code")
        try require(text.utf8.count < 4_096, "a short description")
        try require(
            !text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value },
            "a description without control characters")
        try require(rejection(of: input, .default) == error, "the same error each time")
        guard error.code == .limitExceeded else {
            try require(rejection(of: input, .none)?.code != .limitExceeded, "no limit without any")
            return
        }
        // An input this small can only exceed the depth; without the limit it may be accepted.
        var limits = ParseLimits.default
        limits.depth = .max
        guard let deep = try? Document(parsing: input, limits: limits) else { return }
        try checkWriting(deep, input)
    }

    /// Returns the error of an input, or `nil` if it is accepted.
    static func rejection(of input: [UInt8], _ limits: ParseLimits) -> DocumentError? {
        do throws(DocumentError) {
            _ = try Document(parsing: input, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Keys

    private static func checkKeys(
        _ document: Document, _ tape: ExpectedTape, _ input: [UInt8]
    ) throws(BrokenInvariant) {
        let issues = document.issues
        try require(issues.map(\.offset) == tape.repeatedOffsets, "an issue for each repeated key")
        var limits = ParseLimits.default
        limits.rejectsDuplicateKeys = true
        let error = rejection(of: input, limits)
        try require(error?.offset == issues.first?.offset, "the first repeated key is rejected")
        try require(error?.path == issues.first?.path, "the path of the first repeated key")
        try require(error == nil || error?.code == .duplicateKey, "repeated keys have a code")
        let view = document.withView { $0 }
        for (object, key, value) in tape.lastMembers {
            try require(view.at(object).member(key)?.index == value, "the last value of a key")
        }
        withExtendedLifetime(document) {}
    }

    // MARK: Paths

    private static func checkPaths(
        _ document: Document, _ tape: ExpectedTape
    ) throws(BrokenInvariant) {
        let count = document.nodeCount
        let indices = Array(stride(from: 0, to: count, by: count / 12 + 1))
        let paths = document.withView { $0.paths(of: indices) }
        try require(paths.count == indices.count, "a path for each index")
        for (index, path) in zip(indices, paths) {
            try PathInvariants.checkText(of: path)
            let value = tape.isKey[index] ? index + 1 : index
            guard tape.repeatedOffsets.isEmpty else { continue }
            try require(document.root[path]?.index == value, "a path leads to its value")
        }
        guard let last = indices.last else { return }
        let single = document.withView { $0.at(last).path }
        try require(single == paths.last, "one path and many agree")
    }

    // MARK: Writing

    private static func checkWriting(
        _ document: Document, _ input: [UInt8]
    ) throws(BrokenInvariant) {
        let compact = JSONWriter.compact.bytes(of: document)
        try require(
            compact == withoutSpace(ByteOrderMark.skipped(in: input)),
            "compact text is the input without white space")
        var builder = DocumentBuilder()
        builder.value(document)
        let built = builder.finish()
        try require(JSONWriter.compact.bytes(of: built) == compact, "a copied value is the same")
        let pretty = JSONWriter(layout: .pretty(indentation: input.count % 5))
        let indented = try read(pretty.bytes(of: document))
        try require(indented == document, "indented text means the same")
        let sorted = JSONWriter(sortsKeys: true)
        let sortedText = sorted.bytes(of: document)
        let copy = try read(sortedText)
        try require(copy == document, "sorted text means the same")
        try require(copy.hashValue == document.hashValue, "equal documents have equal hashes")
        try require(sorted.bytes(of: copy) == sortedText, "sorted text is canonical")
    }

    private static func read(_ text: [UInt8]) throws(BrokenInvariant) -> Document {
        do throws(DocumentError) {
            return try Document(parsing: text, limits: .none)
        } catch {
            throw BrokenInvariant(description: "what was written can be read: \(error)")
        }
    }

    /// Returns JSON text without the white space between its tokens.
    private static func withoutSpace(_ text: [UInt8]) -> [UInt8] {
        var isInString = false
        var isEscaped = false
        return text.filter { byte in
            guard isInString else {
                isInString = byte == UInt8(ascii: "\"")
                return ![0x20, 0x09, 0x0A, 0x0D].contains(byte)
            }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return true
        }
    }

    // MARK: Limits

    /// Checks that a limit, which the input chooses, is enforced at its exact value.
    private static func checkLimits(
        _ document: Document, _ tape: ExpectedTape, _ input: [UInt8]
    ) throws(BrokenInvariant) {
        let choices: [(WritableKeyPath<ParseLimits, Int>, Int)] = [
            (\.byteCount, input.count), (\.nodeCount, document.nodeCount),
            (\.depth, tape.depth), (\.memberCount, tape.memberCount),
            (\.stringByteCount, tape.stringByteCount),
        ]
        let (limit, value) = choices[input.count % choices.count]
        var limits = ParseLimits.default
        limits[keyPath: limit] = value
        try require(rejection(of: input, limits) == nil, "a limit that is just met passes")
        guard value > 0 else { return }
        limits[keyPath: limit] = value - 1
        try require(
            rejection(of: input, limits)?.code == .limitExceeded,
            "an exceeded limit rejects the input")
    }
}
