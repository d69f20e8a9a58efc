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
