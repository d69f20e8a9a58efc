// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The invariants of reading and writing forms.
package enum FormInvariants {
    /// Reads an input as a form, and writes it as one if it is a document.
    ///
    /// - Returns: A Boolean value that indicates whether the input was accepted as a form.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        try checkWriting(of: input)
        let pairs = pairs(of: input)
        let document: Document
        do throws(DocumentError) {
            document = try FormFormat().read(input)
        } catch {
            try require(error.code == .invalidUTF8, "only invalid UTF-8 is rejected")
            try require(pairs == nil, "valid UTF-8 is accepted")
            try require(error.offset >= 0 && error.offset < input.count, "an offset in the form")
            return false
        }
        guard let pairs else {
            throw BrokenInvariant(description: "invalid UTF-8 is rejected")
        }
        try require(document.issues.isEmpty, "a repeated name is one key")
        try compare(document, pairs)
        if !input.contains(UInt8(ascii: "#")), let text = String(validating: input, as: UTF8.self) {
            let query = try? FormFormat().read(
                queryOf: "https://example.org/path?" + text + "#?x=y")
            try require(query == document, "a query is read as a form")
        }
        return true
    }

    // MARK: Reading

    /// A name and its value as bytes, or `nil` for a name without `=`.
    private struct Pair: Equatable {
        let name: [UInt8]
        let value: [UInt8]?
    }

    private static func compare(
        _ document: Document, _ pairs: [Pair]
    ) throws(BrokenInvariant) {
        var values: [[UInt8]: [[UInt8]?]] = [:]
        var names: [[UInt8]] = []
        for pair in pairs {
            if values[pair.name] == nil { names.append(pair.name) }
            values[pair.name, default: []].append(pair.value)
        }
        let members = document.root.members.map { (Array($0.key.utf8), $0.value) }
        try require(members.map(\.0) == names, "names in the order of the form")
        for (name, node) in members {
            let nodes = node.kind == .array ? Array(node.elements) : [node]
            try require(nodes.allSatisfy { $0.isNull || $0.kind == .string }, "texts and nulls")
            try require(
                nodes.map { $0.string.map { Array($0.utf8) } } == values[name], "values of a name")
            try require((node.kind == .array) == (nodes.count > 1), "an array for several values")
        }
    }

    /// Returns the pairs of a form as its standard specifies, or `nil` if the form is not UTF-8.
    private static func pairs(of form: [UInt8]) -> [Pair]? {
        var pairs: [Pair] = []
        for piece in form.split(separator: UInt8(ascii: "&")) {
            let parts = piece.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            let value = parts.count > 1 ? decoded(parts[1]) : nil
            for text in [name, value ?? []]
            where String(validating: text, as: UTF8.self) == nil { return nil }
            pairs.append(Pair(name: name, value: value))
        }
        return pairs
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            let isEscape = byte == UInt8(ascii: "%") && digits.count == 2
            let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            if isEscape, isHexadecimal {
                result.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return result
    }

    // MARK: Writing

    private static func checkWriting(of input: [UInt8]) throws(BrokenInvariant) {
        guard let document = try? Document(parsing: input) else { return }
        for lists in FormStyle.Lists.allCases {
            try checkWriting(of: document, FormStyle(lists: lists))
            try checkWriting(
                of: document, FormStyle(lists: lists, booleans: .words, nulls: .omitted))
        }
    }

    private static func checkWriting(
        of document: Document, _ style: FormStyle
    ) throws(BrokenInvariant) {
        let isPlain = style.lists == .repeated || style.lists == .commas
        let form: [UInt8]
        do throws(DocumentError) {
            form = try FormFormat(style: style).write(document)
        } catch {
            let isObject = document.root.kind == .object
            if isObject, isPlain, error.code == .unwritableValue { return }
            try require(isObject == (error.code != .unwritableValue), "an object is written")
            try require(!isObject || error.code == .limitExceeded, "only depth stops an object")
            return
        }
        try require(form.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a form is ASCII without blanks")
        try require((try? FormFormat().read(form)) != nil, "a form that was written can be read")
        guard document.issues.isEmpty else { return }
        guard style.lists != .commas else { return }
        let root = document.withView { $0 }
        var isKey = Array(repeating: false, count: document.nodeCount)
        var scalarCount = 0
        for index in 0..<document.nodeCount {
            let value = root.at(index)
            if value.isObject { for member in value.members { isKey[member.key.index] = true } }
            let isOmitted = style.nulls == .omitted && value.isNull
            if !value.kind.isContainer, !isKey[index], !isOmitted { scalarCount += 1 }
        }
        withExtendedLifetime(document) {}
        let pairs = form.split(separator: UInt8(ascii: "&"))
        try require(pairs.count == scalarCount, "a pair for each value")
    }
}
