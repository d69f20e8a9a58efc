// SPDX-License-Identifier: Apache-2.0

/// How a mapping converts values to the types of the properties.
///
/// Belongs to a mapping and is inherited by the default mappings of the objects it relates to;
/// copied into the plan when the mapping is compiled.
public struct ValueConversion: Sendable {
    /// Which conversions between kinds may happen without being declared.
    public var coercions: Coercions
    /// The formats dates are in.
    public var dates: DateFormats
    /// Converts every value that it can, in place of the property's type; nil for none.
    ///
    /// An attribute's own transform comes first; objects of a relationship never pass here. Typed
    /// conversions are many times faster, so change ``coercions`` and ``dates`` where that will do.
    public var transformer: (any ValueTransforming)?

    /// Makes a conversion.
    public init(
        coercions: Coercions = .standard, dates: DateFormats = .standard,
        transformer: (any ValueTransforming)? = nil
    ) {
        self.coercions = coercions
        self.dates = dates
        self.transformer = transformer
    }

    /// Whether dates are in other formats than the standard ones.
    var hasDates: Bool { dates.formats != DateFormats.standard.formats }

    /// Everything that loses nothing.
    public static var standard: ValueConversion { ValueConversion() }
    /// Nothing between kinds; dates in RFC 3339.
    public static var strict: ValueConversion { ValueConversion(coercions: .strict) }
    /// As RestKit converts, nonsense included.
    public static var lenient: ValueConversion { ValueConversion(coercions: .lenient) }
}
