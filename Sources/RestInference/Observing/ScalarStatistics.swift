// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Facts about the numbers at a place.
struct NumberStatistics: Sendable {
    private(set) var count = 0
    /// The number of integers within `Int64`.
    private(set) var integerCount = 0
    /// The number of integers from 0 within `UInt64`.
    private(set) var unsignedCount = 0
    /// The number of numbers that a double contains exactly as written.
    private(set) var doubleCount = 0
    private(set) var maximumDigitCount = 0

    mutating func observe(_ view: NodeView) {
        count += 1
        let text = view.numberText ?? ""
        // A number that is written with a fraction can have another one in the next record.
        let isWhole = !text.contains { $0 == "." || $0 == "e" || $0 == "E" }
        if isWhole, view.int64 != nil { integerCount += 1 }
        if isWhole, view.uint64 != nil { unsignedCount += 1 }
        let digits = text.prefix { $0 != "e" && $0 != "E" }.count { $0.isNumber }
        maximumDigitCount = max(maximumDigitCount, digits)
        if view.double != nil, digits <= 15 { doubleCount += 1 }
    }

    mutating func merge(_ other: NumberStatistics) {
        count += other.count
        integerCount += other.integerCount
        unsignedCount += other.unsignedCount
        doubleCount += other.doubleCount
        maximumDigitCount = max(maximumDigitCount, other.maximumDigitCount)
    }
}

/// Facts about the texts at a place.
struct TextStatistics: Sendable {
    private(set) var count = 0
    /// The number of dates of RFC 3339.
    private(set) var dateCount = 0
    /// The number of dates with a time, but without a time zone.
    private(set) var zonelessCount = 0
    private(set) var dayCount = 0
    private(set) var uuidCount = 0
    private(set) var urlCount = 0
    /// The number of texts without white space, as codes and keys are.
    private(set) var codeCount = 0
    private(set) var maximumLength = 0
    /// The maximum length of a text with a form, in bytes.
    private static let maximumFormLength = 2_048

    mutating func observe(_ text: String) {
        count += 1
        let length = text.utf8.count
        maximumLength = max(maximumLength, length)
        // Long texts have none of the forms.
        guard length <= Self.maximumFormLength else { return }
        let bytes = Array(text.utf8)
        if !bytes.isEmpty, !bytes.contains(where: { $0 <= 0x20 }) { codeCount += 1 }
        switch TextForm(bytes) {
        case .date: dateCount += 1
        case .zonelessDate: zonelessCount += 1
        case .day: dayCount += 1
        case .uuid: uuidCount += 1
        case .url: urlCount += 1
        case .other: break
        }
    }

    mutating func merge(_ other: TextStatistics) {
        count += other.count
        dateCount += other.dateCount
        zonelessCount += other.zonelessCount
        dayCount += other.dayCount
        uuidCount += other.uuidCount
        urlCount += other.urlCount
        codeCount += other.codeCount
        maximumLength = max(maximumLength, other.maximumLength)
    }
}

/// The form of a text that a column of its type can contain without a loss.
enum TextForm {
    case date
    case zonelessDate
    case day
    case uuid
    case url
    case other

    init(_ bytes: [UInt8]) {
        guard let first = bytes.first, bytes.count >= 8 else {
            self = .other
            return
        }
        if first == UInt8(ascii: "h") {
            self = Self.isURL(bytes) ? .url : .other
        } else if bytes.count == 36, Self.isUUID(bytes) {
            self = .uuid
        } else if bytes.count > 4, bytes[4] == UInt8(ascii: "-"), bytes.count <= 40 {
            self = Self.date(bytes)
        } else {
            self = .other
        }
    }

    private static func date(_ bytes: [UInt8]) -> TextForm {
        var isRFC3339 = false
        guard DateText.read(bytes.span, &isRFC3339) != nil else { return .other }
        if bytes.count == 10 { return .day }
        // Columns have microseconds.
        let fraction = bytes.firstIndex(of: UInt8(ascii: ".")).map { dot in
            bytes[(dot + 1)...].prefix { (0x30...0x39).contains($0) }.count
        }
        guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T"), fraction ?? 0 <= 6 else {
            return .other
        }
        let hasZone =
            isRFC3339 && bytes.last == UInt8(ascii: "Z")
            || bytes[11...].contains(UInt8(ascii: "+")) || bytes[11...].contains(UInt8(ascii: "-"))
        return hasZone ? .date : .zonelessDate
    }

    /// Returns a Boolean value that indicates whether a text is a UUID in lower case, as columns store it.
    private static func isUUID(_ bytes: [UInt8]) -> Bool {
        bytes.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index)
                ? byte == UInt8(ascii: "-")
                : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
    }

    /// Returns a Boolean value that indicates whether a text is an absolute URL without characters to escape.
    private static func isURL(_ bytes: [UInt8]) -> Bool {
        let isHTTP =
            bytes.starts(with: Array("https://".utf8)) || bytes.starts(with: Array("http://".utf8))
        let excluded = Set(" \"<>\\^`{|}[]".utf8)
        return isHTTP && bytes.allSatisfy { (0x21..<0x7F).contains($0) && !excluded.contains($0) }
    }
}
