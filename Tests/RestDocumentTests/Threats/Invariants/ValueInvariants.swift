// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The invariants of reading values of a document.
enum ValueInvariants {
    /// Reads every node as every type.
    static func check(_ document: Document) throws(BrokenInvariant) {
        let root = document.withView { $0 }
        var decimals = 0
        for index in 0..<document.nodeCount {
            let value = root.at(index)
            let kind = value.kind
            try require(value.isNull == (kind == .null), "null is null")
            try require((value.bool != nil) == (kind == .true || kind == .false), "a boolean")
            try require((value.string() != nil) == kind.isString, "text")
            try require((value.numberText != nil) == kind.isNumber, "a number")
            try require(kind.isContainer || value.count == 0, "only containers hold values")
            if kind.isString {
                try checkText(value, in: document)
            } else if kind.isNumber {
                try checkNumber(value)
                decimals += 1
                if decimals <= 8 { try checkDecimal(value) }
            } else {
                try require(
                    value.int64 == nil && value.uint64 == nil && value.double == nil
                        && value.decimal == nil, "only numbers are read as numbers")
            }
        }
        withExtendedLifetime(document) {}
    }

    private static func checkNumber(_ value: NodeView) throws(BrokenInvariant) {
        let text = value.numberText ?? ""
        try require(NumberGrammar.accepts(text.utf8), "the text of a number is one")
        guard let nearest = Double(text) else {
            throw BrokenInvariant(description: "a number of JSON is one of Swift")
        }
        try require(
            value.double?.bitPattern == (nearest.isFinite ? nearest.bitPattern : nil),
            "the double nearest to \(text)")
        let isPlain = text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }
        if isPlain {
            try require(value.int64 == Int64(text), "the 64 bits of \(text)")
            try require(value.uint64 == UInt64(text), "the unsigned 64 bits of \(text)")
        } else {
            if let whole = value.int64 {
                try require(Double(whole) == nearest, "the whole number \(text)")
            }
            if let whole = value.uint64 {
                try require(Double(whole) == nearest, "the unsigned whole number \(text)")
            }
        }
        if let whole = value.int64, let unsigned = value.uint64 {
            try require(UInt64(exactly: whole) == unsigned, "both whole numbers agree")
        }
    }

    private static func checkDecimal(_ value: NodeView) throws(BrokenInvariant) {
        guard let decimal = value.decimal else { return }
        let text = value.numberText ?? ""
        let magnitude = value.double?.magnitude ?? .nan
        try require(Double("\(decimal)")?.magnitude == magnitude, "the decimal of \(text)")
        if let whole = value.int64 {
            try require(decimal == Decimal(whole), "the decimal of the whole number \(text)")
        }
    }

    private static func checkText(
        _ value: NodeView, in document: Document
    ) throws(BrokenInvariant) {
        let text = value.string() ?? ""
        let bytes = Array(text.utf8)
        try require(String(validating: bytes, as: UTF8.self) != nil, "text is UTF-8")
        try require(
            unsafe bytes.withUnsafeBufferPointer { unsafe value.isText($0) }, "text is itself")
        let start = value.tapeNode.offset
        try require(start + value.contentLength < document.byteCount, "text has a quote")
        let written = unsafe UnsafeBufferPointer(
            start: value.contentPointer, count: value.contentLength)
        try require(unsafe unescaped(Array(written)) == bytes, "text is what was written")
    }

    /// Returns the unescaped bytes of a string's content, or `nil` if it is invalid.
    private static func unescaped(_ written: [UInt8]) -> [UInt8]? {
        var units: [UInt16] = []
        var result: [UInt8] = []
        var rest = written[...]
        func flush() -> Bool {
            if units.isEmpty { return true }
            guard let text = String(validating: units, as: UTF16.self) else { return false }
            result += text.utf8
            units = []
            return true
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                guard flush(), byte >= 0x20 else { return nil }
                result.append(byte)
                continue
            }
            guard let escape = rest.popFirst() else { return nil }
            if escape == UInt8(ascii: "u") {
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16) else {
                    return nil
                }
                units.append(unit)
                rest = rest.dropFirst(4)
                continue
            }
            guard let position = Array("\"\\/bfnrt".utf8).firstIndex(of: escape), flush() else {
                return nil
            }
            result.append(Array("\"\\/\u{8}\u{C}\n\r\t".utf8)[position])
        }
        return flush() ? result : nil
    }
}
