// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Builds a document as an input chooses, and records the expected nodes.
struct BuildingPass {
    /// The builder, whose document is complete after the pass.
    private(set) var builder = DocumentBuilder()
    /// The expected nodes in document order.
    private(set) var expected: [BuiltValue] = []

    private var source: ByteSource
    /// A Boolean value for each open container that indicates whether it is an object.
    private var open: [Bool] = []

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Adds values until the root is complete or the input ends.
    mutating func run() throws(BrokenInvariant) {
        repeat {
            let step = source.byte()
            if !open.isEmpty, step & 0x0F >= 0x0D {
                builder.end()
                open.removeLast()
                continue
            }
            if open.last == true { addKey() }
            try addValue(step)
        } while !open.isEmpty && !source.isEmpty && expected.count < 1_000
        while open.popLast() != nil { builder.end() }
    }

    private mutating func addKey() {
        let key = source.text(Int(source.byte() & 0x0F))
        builder.key(key)
        expected.append(.text(Array(key.utf8)))
    }

    private mutating func addValue(_ step: UInt8) throws(BrokenInvariant) {
        switch step & 0x0F {
        case 0:
            builder.null()
            expected.append(.null)
        case 1:
            builder.bool(step & 0x10 != 0)
            expected.append(.bool(step & 0x10 != 0))
        case 2:
            addInteger(step)
        case 3:
            try addDouble(Double(bitPattern: source.integer()))
        case 4:
            try addDouble(Double(Int8(bitPattern: source.byte())) / 8)
        case 5:
            try addNumber(source.text(Int(step >> 4)))
        case 6:
            try addNumber(digits(source.bytes(Int(source.byte() & 0x3F))))
        case 7:
            addText(source.text(Int(step >> 4)))
        case 8:
            addText(
                String(repeating: source.text(Int(step >> 4)), count: Int(source.byte() & 0x1F)))
        case 9:
            addCopy(source.bytes(Int(source.byte())))
        case 10:
            addText(source.text(Int(source.byte())))
        case 11 where open.count < 400:
            builder.beginObject()
            expected.append(.object)
            open.append(true)
        case 12... where open.count < 400:
            builder.beginArray()
            expected.append(.array)
            open.append(false)
        default:
            builder.null()
            expected.append(.null)
        }
    }

    private mutating func addText(_ text: String) {
        builder.string(text)
        expected.append(.text(Array(text.utf8)))
    }

    private mutating func addInteger(_ step: UInt8) {
        let bits = source.integer()
        switch step >> 4 & 3 {
        case 0: addInteger(Int64(bitPattern: bits))
        case 1: addInteger(bits)
        case 2: addInteger(Int8(truncatingIfNeeded: bits))
        default: addInteger(Int128(Int64(bitPattern: bits)) * Int128(source.integer()))
        }
    }

    private mutating func addInteger(_ value: some FixedWidthInteger) {
        builder.number(value)
        expected.append(.number(value.description))
    }

    private mutating func addDouble(_ value: Double) throws(BrokenInvariant) {
        do throws(DocumentError) {
            try builder.number(value)
        } catch {
            try require(
                !value.isFinite && error.code == .invalidNumber, "a finite number is accepted")
            addText("rejected")
            return
        }
        try require(value.isFinite, "an infinite number is rejected")
        expected.append(.double(value.bitPattern))
    }

    private mutating func addNumber(_ text: String) throws(BrokenInvariant) {
        do throws(DocumentError) {
            try builder.number(text: text)
        } catch {
            try require(
                !NumberGrammar.accepts(text.utf8) && error.code == .invalidNumber,
                "a JSON number is accepted: \(text)")
            addText("rejected")
            return
        }
        try require(NumberGrammar.accepts(text.utf8), "only JSON numbers are accepted: \(text)")
        expected.append(.number(text))
    }

    /// Returns characters of numbers that bytes choose.
    private func digits(_ bytes: [UInt8]) -> String {
        let choices = Array("00112233445566778899999..-+eE1".utf8)
        return String(decoding: bytes.map { choices[Int($0) % choices.count] }, as: UTF8.self)
    }

    /// Adds a part of the input as a document, if it is one.
    private mutating func addCopy(_ text: [UInt8]) {
        guard let document = try? Document(parsing: text) else {
            addText(String(decoding: text, as: UTF8.self))
            return
        }
        builder.value(document)
        let root = document.withView { $0 }
        expected += (0..<document.nodeCount).map { BuiltValue(root.at($0)) }
        withExtendedLifetime(document) {}
    }
}
