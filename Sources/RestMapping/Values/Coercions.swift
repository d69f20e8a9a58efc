// SPDX-License-Identifier: Apache-2.0

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
