// SPDX-License-Identifier: Apache-2.0

/// A conversion from one kind of value to another that nobody declared.
///
/// Every one that happens is counted in ``MappingReport/coercions``; which may happen is said by
/// ``ValueConversion/coercions``.
@frozen
public enum Coercion: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable,
    CustomStringConvertible
{
    /// Text that is a number: `"187"` for 187.
    case textToNumber
    /// A number for text, as it is written: 187 for `"187"`.
    case numberToText
    /// A boolean for text: `"true"` or `"false"`.
    case booleanToText
    /// Text that is a boolean: `true`, `t`, `yes`, `y`, `1` and their opposites, in any case.
    case textToBoolean
    /// A number for a boolean: false if zero.
    case numberToBoolean
    /// A boolean for a number: 1 or 0.
    case booleanToNumber
    /// Seconds since 1970, a number or its text, for a date.
    case secondsToDate
    /// Text in a date format of the default chain, where none was declared and it is not RFC 3339.
    case textToDate
    /// A value for a list of one.
    case singleToList
    /// An unknown raw value for the case that stands for all such, see ``UnknownValue``.
    case unknownToFallback
    /// Text that only begins as a number, or does not even: 12 for `"12abc"`, 0 for `"abc"`.
    case nonsenseToNumber
    /// A number that does not fit for the nearest one that does: 7 for 7.5, the greatest for more.
    case numberToNearest
    /// Text of nothing but white space for no date.
    case blankToNull

    /// The word itself.
    public var description: String {
        switch self {
        case .textToNumber: "textToNumber"
        case .numberToText: "numberToText"
        case .booleanToText: "booleanToText"
        case .textToBoolean: "textToBoolean"
        case .numberToBoolean: "numberToBoolean"
        case .booleanToNumber: "booleanToNumber"
        case .secondsToDate: "secondsToDate"
        case .textToDate: "textToDate"
        case .singleToList: "singleToList"
        case .unknownToFallback: "unknownToFallback"
        case .nonsenseToNumber: "nonsenseToNumber"
        case .numberToNearest: "numberToNearest"
        case .blankToNull: "blankToNull"
        }
    }
}

/// The coercions that a mapping may do.
@frozen
public struct Coercions: OptionSet, Sendable, Hashable, BitwiseCopyable {
    /// A bit for each ``Coercion``, at its raw value.
    public let rawValue: UInt16

    /// Makes a set of its bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Makes the set of one.
    @inlinable
    public init(_ coercion: Coercion) { rawValue = 1 << UInt16(coercion.rawValue) }

    /// Makes a set of several.
    @inlinable
    public init(_ coercions: [Coercion]) {
        self.init(coercions.map { Coercions($0) })
    }

    /// Whether one may happen.
    @inlinable
    public func allows(_ coercion: Coercion) -> Bool {
        rawValue & (1 << UInt16(coercion.rawValue)) != 0
    }

    /// Nothing between kinds: a number for text is an issue, and a date needs its declared format.
    ///
    /// Without a declared format a date is RFC 3339. An unknown raw value still becomes the case
    /// the type declares for such.
    @inlinable public static var strict: Coercions { Coercions(.unknownToFallback) }

    /// Everything that loses nothing: what is not exactly a number, a boolean or a date is an issue.
    @inlinable public static var standard: Coercions {
        Coercions([
            .textToNumber, .numberToText, .booleanToText, .textToBoolean, .numberToBoolean,
            .booleanToNumber, .secondsToDate, .textToDate, .singleToList, .unknownToFallback,
        ])
    }

    /// Everything, as RestKit's default chain: nonsense is 0, a number that does not fit is cut,
    /// blank text is no date.
    ///
    /// One difference: text that is a number whole is that number, so `"1e5"` is 100000 where
    /// RestKit reads 1.
    @inlinable public static var lenient: Coercions { Coercions(Coercion.allCases) }
}
