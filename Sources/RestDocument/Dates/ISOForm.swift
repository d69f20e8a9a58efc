// SPDX-License-Identifier: Apache-2.0

/// Which of the parts of ISO 8601 a text had, to tell its stricter profiles.
///
/// Bits and not an option set, whose literals are made by generic code that is not specialised here
/// and takes longer than to read the date.
package struct ISOForm: Sendable, Equatable {
    private var bits: UInt8

    private init(bits: UInt8) { self.bits = bits }

    /// A day alone.
    package static var day: ISOForm { ISOForm(bits: 0) }
    /// The time of day.
    package static var time: ISOForm { ISOForm(bits: 1) }
    /// The seconds of the time.
    package static var seconds: ISOForm { ISOForm(bits: 2) }
    /// `T` between date and time.
    package static var letter: ISOForm { ISOForm(bits: 4) }
    /// `Z` or an offset with a colon.
    package static var zone: ISOForm { ISOForm(bits: 8) }
    /// Something that no profile has, such as a comma, the hour 24 or an offset of hours only.
    package static var odd: ISOForm { ISOForm(bits: 16) }

    /// A date-time of RFC 3339, written with a `T`: time, seconds, letter and zone.
    package static var rfc3339: ISOForm { ISOForm(bits: 15) }

    /// Adds a part.
    package mutating func insert(_ part: ISOForm) { bits |= part.bits }

    /// Whether a part is there.
    package func contains(_ part: ISOForm) -> Bool { bits & part.bits == part.bits }
}
