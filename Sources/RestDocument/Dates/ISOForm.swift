// SPDX-License-Identifier: Apache-2.0

/// The parts of ISO 8601 that a text contains, to recognize its stricter profiles.
///
/// This type has plain bits instead of being an option set: option set literals are created by
/// generic code that is not specialized here and takes longer than parsing the date.
package struct ISOForm: Sendable, Equatable {
    private var bits: UInt8

    private init(bits: UInt8) { self.bits = bits }

    /// A date without a time.
    package static var day: ISOForm { ISOForm(bits: 0) }
    /// The time of day.
    package static var time: ISOForm { ISOForm(bits: 1) }
    /// The seconds of the time.
    package static var seconds: ISOForm { ISOForm(bits: 2) }
    /// The `T` between date and time.
    package static var letter: ISOForm { ISOForm(bits: 4) }
    /// `Z` or an offset with a colon.
    package static var zone: ISOForm { ISOForm(bits: 8) }
    /// A part outside of all profiles, such as a comma, the hour 24 or an offset of hours only.
    package static var odd: ISOForm { ISOForm(bits: 16) }

    /// An RFC 3339 date-time with a `T`: time, seconds, letter and zone.
    package static var rfc3339: ISOForm { ISOForm(bits: 15) }

    /// Inserts a part.
    package mutating func insert(_ part: ISOForm) { bits |= part.bits }

    /// Returns a Boolean value that indicates whether the text contains a part.
    package func contains(_ part: ISOForm) -> Bool { bits & part.bits == part.bits }
}
