// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// A comparison of a text attribute with a text.
public struct TextComparison: Sendable, Hashable {
    let kind: TextMatch.Kind

    /// The texts are equal.
    public static let equal = TextComparison(kind: .equal)
    /// The attribute begins with the text.
    public static let hasPrefix = TextComparison(kind: .prefix)
    /// The attribute ends with the text.
    public static let hasSuffix = TextComparison(kind: .suffix)
    /// The attribute contains the text.
    public static let contains = TextComparison(kind: .contains)
}

/// The differences that a comparison or an order of texts ignores.
///
/// Without options, texts are compared by their UTF-8 bytes, and a prefix is found by the index of
/// the attribute. With options, every row is examined.
public struct TextOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Ignores the case of letters.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Ignores diacritics, such as accents and umlauts.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// Orders the decimal digits in texts by the number that they are, so that `file2` precedes `file10`.
    ///
    /// It is an option of orders; a predicate with it is an error with code `invalidPredicate`.
    public static let numeric = TextOptions(rawValue: 4)

    /// Returns the bytes whose order is that of the texts with these options.
    func orderKey(_ text: String) -> Data {
        let folded = folded(text).utf8
        guard contains(.numeric) else { return Data(folded) }
        var key = Data()
        var position = folded.startIndex
        while position < folded.endIndex {
            guard folded[position] &- 0x30 < 10 else {
                key.append(folded[position])
                position = folded.index(after: position)
                continue
            }
            let digits = folded[position...].prefix { $0 &- 0x30 < 10 }
            let significant = digits.drop { $0 == 0x30 }
            // At the place of digits, a number with more digits is behind one with fewer.
            let count = UInt16(clamping: significant.count)
            key.append(contentsOf: [0x30, UInt8(count >> 8), UInt8(count & 0xFF)])
            key.append(contentsOf: significant)
            position = digits.endIndex
        }
        return key
    }

    /// Returns the text without the ignored differences.
    func folded(_ text: String) -> String {
        if isEmpty { return text }
        var options: String.CompareOptions = []
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return text.folding(options: options, locale: nil)
    }
}

/// A comparison of texts.
package struct TextMatch: Sendable, Hashable {
    enum Kind {
        case equal
        case prefix
        case suffix
        case contains
    }

    let kind: Kind
    let text: String
    let options: TextOptions

    init(_ kind: Kind, _ text: String, _ options: TextOptions) {
        self.kind = kind
        self.text = text
        self.options = options
    }

    package static func == (left: TextMatch, right: TextMatch) -> Bool {
        left.kind == right.kind && left.options == right.options
            && left.text.hasSameBytes(as: right.text)
    }

    /// The least text that is greater than all texts with a prefix; `nil` if there is none.
    ///
    /// The order of UTF-8 bytes is that of Unicode scalars.
    static func upperBound(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The surrogates, which follow U+D7FF, are not scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            return text
        }
        return nil
    }
}

/// The SQL functions of fetch requests.
///
/// Texts pass as BLOBs, which keep NUL characters.
enum FetchFunctions {
    /// `restkit_fold(text, options)`: the text without the differences that options ignore.
    static let fold = DatabaseFunction("restkit_fold", argumentCount: 2, pure: true) { values in
        guard let text = Data.fromDatabaseValue(values[0]),
            let options = Int.fromDatabaseValue(values[1])
        else { return nil }
        return TextOptions(rawValue: options).orderKey(String(decoding: text, as: UTF8.self))
    }

    /// `restkit_double(bits)`: the number with a bit pattern, as JSON loses digits.
    static let double = DatabaseFunction("restkit_double", argumentCount: 1, pure: true) { values in
        Int64.fromDatabaseValue(values[0]).map {
            Double(bitPattern: UInt64(bitPattern: $0))
        }
    }

    /// `restkit_data(base64)`: the bytes of a Base64 text.
    static let data = DatabaseFunction("restkit_data", argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).flatMap { Data(base64Encoded: $0) }
    }

    /// Adds the functions to a connection.
    static func add(to database: Database) {
        for function in [fold, double, data] { database.add(function: function) }
    }
}
