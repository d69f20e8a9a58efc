// SPDX-License-Identifier: Apache-2.0

/// A conversion between kinds of values that is not declared.
///
/// The ``MappingReport/coercions`` of a run count them; ``ConversionOptions/coercions`` allow them.
@frozen
public enum Coercion: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable,
    CustomStringConvertible
{
    /// Text that is a number becomes the number: `"187"` becomes 187.
    case textToNumber
    /// A number becomes its text as written: 187 becomes `"187"`.
    case numberToText
    /// A boolean becomes text: `"true"` or `"false"`.
    case booleanToText
    /// Text becomes a boolean: `true`, `t`, `yes`, `y`, `1` and their opposites, in any case.
    case textToBoolean
    /// A number becomes a boolean: false if zero.
    case numberToBoolean
    /// A boolean becomes a number: 1 or 0.
    case booleanToNumber
    /// A number of seconds since 1970 becomes a date.
    case secondsToDate
    /// Text in one of the standard date formats other than RFC 3339 becomes a date, where no format
    /// is declared.
    case textToDate
    /// A single value becomes a list with one element.
    case singleToList
    /// An unknown raw value becomes the fallback case of an enumeration, see ``UnknownValue``.
    case unknownToFallback
    /// Text becomes the number that it begins with, or 0: `"12abc"` becomes 12, `"abc"` becomes 0.
    case lossyTextToNumber
    /// A number becomes the nearest one of the type: 7.5 becomes 7, a number beyond the maximum
    /// becomes the maximum.
    case numberToNearest
    /// Text of white space alone becomes nil for an optional date.
    case blankToNull
    /// An empty list becomes an object without members, as PHP writes an empty array with keys.
    case emptyListToObject
    /// Text that is a URL except for characters that need percent-encoding, such as spaces, umlauts
    /// or `|`, becomes the URL with these characters encoded.
    case unescapedToURL

    /// The name of the case.
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
        case .lossyTextToNumber: "lossyTextToNumber"
        case .numberToNearest: "numberToNearest"
        case .blankToNull: "blankToNull"
        case .emptyListToObject: "emptyListToObject"
        case .unescapedToURL: "unescapedToURL"
        }
    }
}

/// A set of coercions that a mapping allows.
@frozen
public struct Coercions: OptionSet, Sendable, Hashable, BitwiseCopyable {
    /// A bit for each ``Coercion``, at the position of its raw value.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Creates a set with one element.
    @inlinable
    public init(_ coercion: Coercion) { rawValue = 1 << UInt16(coercion.rawValue) }

    /// Creates a set with several elements.
    @inlinable
    public init(_ coercions: [Coercion]) {
        self.init(coercions.map { Coercions($0) })
    }

    /// Returns a Boolean value that indicates whether a coercion is allowed.
    @inlinable
    public func allows(_ coercion: Coercion) -> Bool {
        rawValue & (1 << UInt16(coercion.rawValue)) != 0
    }

    /// The coercions of a strict mapping: none between kinds, so that a number for text is an
    /// issue, and a date needs its declared format.
    ///
    /// Without a declared format a date is in RFC 3339. An unknown raw value still becomes the
    /// fallback case that its type declares.
    @inlinable public static var strict: Coercions { Coercions(.unknownToFallback) }

    /// All coercions without loss: a value that is not exactly a number, a boolean or a date is an
    /// issue.
    @inlinable public static var standard: Coercions {
        Coercions([
            .textToNumber, .numberToText, .booleanToText, .textToBoolean, .numberToBoolean,
            .booleanToNumber, .secondsToDate, .textToDate, .singleToList, .unknownToFallback,
        ])
    }

    /// The coercion of an empty list to an object without members.
    ///
    /// It is not among the standard ones: `[.standard, .emptyListToObject]`.
    @inlinable public static var emptyListToObject: Coercions { Coercions(.emptyListToObject) }

    /// The coercion of text with characters that are not allowed in a URL to the URL with these
    /// characters percent-encoded.
    ///
    /// It is not among the standard ones: `[.standard, .unescapedToURL]`.
    @inlinable public static var unescapedToURL: Coercions { Coercions(.unescapedToURL) }

    /// All coercions, as in RestKit's default chain: text that is not a number is 0, a number that
    /// does not fit is truncated, and blank text is no date.
    ///
    /// With one difference: text that is a number as a whole is that number, so `"1e5"` is 100000,
    /// where RestKit reads 1.
    @inlinable public static var lenient: Coercions { Coercions(Coercion.allCases) }
}
