// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A value of a column.
///
/// Values are equal if SQLite considers them equal: text is compared by its bytes, so that the
/// composed and the decomposed form of "é" differ, and values of different storage classes differ.
public enum StoredValue: Sendable {
    /// The absence of a value.
    case null
    /// An integer, a Boolean value as 0 or 1, or the key of an object.
    case integer(Int64)
    /// A floating-point number.
    ///
    /// NaN stands for a value that a column cannot store, and the number of seconds since 1970 for a date
    /// outside of the years 0000 to 9999. Saving them is an error, as SQLite would store another value.
    case double(Double)
    /// Text in UTF-8.
    case text(String)
    /// Binary data.
    case data(Data)

    /// A Boolean value that indicates whether the value is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value in place of one that a column cannot store.
    static var unstorable: StoredValue { .double(.nan) }

    /// A Boolean value that indicates whether a column cannot store the value.
    var isUnstorable: Bool {
        if case .double(let value) = self { value.isNaN } else { false }
    }
}

extension StoredValue: Hashable {
    /// Returns a Boolean value that indicates whether SQLite considers two values equal.
    public static func == (left: StoredValue, right: StoredValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        default: false
        }
    }

    /// Hashes the value; canonically equivalent texts have equal hashes but are not equal.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .text(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        }
    }
}

extension StoredValue {
    /// Compares two values in the order of SQLite: null, numbers, text by its bytes, binary data.
    ///
    /// - Returns: Less than zero, zero or more than zero.
    package func compare(_ other: StoredValue) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.double(let left), .double(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.integer(let left), .double(let right)): Self.compare(left, right)
        case (.double(let left), .integer(let right)): -Self.compare(right, left)
        case (.text(let left), .text(let right)): left.compareBytes(with: right)
        case (.data(let left), .data(let right)):
            left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        default: storageRank - other.storageRank
        }
    }

    /// Returns the number plus the difference of two others.
    ///
    /// - Returns: The sum; `nil` if a value is no number, or a column cannot store the sum.
    package func adding(_ later: StoredValue, minus earlier: StoredValue) -> StoredValue? {
        switch (self, later, earlier) {
        case (.integer(let own), .integer(let later), .integer(let earlier)):
            return Int64(exactly: Int128(own) + Int128(later) - Int128(earlier)).map {
                .integer($0)
            }
        case (.double(let own), .double(let later), .double(let earlier)):
            let sum = own + (later - earlier)
            return sum.isNaN ? nil : .double(sum)
        case (.text, .text, .text):
            guard let own = Decimal(storedValue: self), let later = Decimal(storedValue: later),
                let earlier = Decimal(storedValue: earlier)
            else { return nil }
            let sum = own + (later - earlier)
            return sum.isNaN ? nil : sum.storedValue
        default: return nil
        }
    }

    private var storageRank: Int {
        switch self {
        case .null: 0
        case .integer, .double: 1
        case .text: 2
        case .data: 3
        }
    }

    private static func compare(_ left: Int64, _ right: Double) -> Int {
        if right < -0x1p63 { return 1 }
        if right >= 0x1p63 { return -1 }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? -1 : 1 }
        let fraction = right - Double(whole)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }
}

extension String {
    /// Returns a Boolean value that indicates whether two texts have the same UTF-8 bytes, unlike `==`, which
    /// also equates composed and decomposed forms.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        self == other && utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Compares the UTF-8 bytes of two texts.
    func compareBytes(with other: String) -> Int {
        if utf8.elementsEqual(other.utf8) { return 0 }
        return utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }
}
