// SPDX-License-Identifier: Apache-2.0

/// The options by which a mapping converts values to the types of properties.
///
/// The default mappings of related objects inherit the options. They are copied into the plan when
/// the mapping is compiled.
public struct ConversionOptions: Sendable {
    /// The conversions between kinds of values that need no declaration.
    public var coercions: Coercions
    /// The date formats.
    public var dates: DateFormats
    /// The transform that converts all values it can; nil for none.
    var mappingTransform: (any MappingTransform)?

    /// Creates options.
    public init(coercions: Coercions = .standard, dates: DateFormats = .standard) {
        self.coercions = coercions
        self.dates = dates
    }

    /// A Boolean value that indicates whether the date formats differ from the standard ones.
    var hasDates: Bool { dates.formats != DateFormats.standard.formats }

    /// The default options: all coercions without loss.
    public static var standard: ConversionOptions { ConversionOptions() }
    /// Options without coercions between kinds; dates are in RFC 3339.
    public static var strict: ConversionOptions { ConversionOptions(coercions: .strict) }
    /// Options that convert as RestKit does, numbers from any text included.
    public static var lenient: ConversionOptions { ConversionOptions(coercions: .lenient) }
}
