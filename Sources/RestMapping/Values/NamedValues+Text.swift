// SPDX-License-Identifier: Apache-2.0

public import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NamedValues {
    /// Returns the value at a path of names as text for a URL.
    ///
    /// An enumeration is written as its raw value, any other value but a date as its description.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - dates: The format of dates.
    /// - Returns: The text; nil if there is no value, or one that a URL cannot contain, such as an
    ///   array.
    /// - Throws: ``MappingError`` under the conditions of ``value(at:)``.
    public func text(
        at path: DocumentPath, dates: DateFormat = .iso8601
    ) throws(MappingError) -> String? {
        try value(at: path).flatMap { Self.text(of: $0, dates) }
    }

    private static func text(of value: Any, _ dates: DateFormat) -> String? {
        switch value {
        case let text as String: text
        case let date as Date: dates.text(from: date)
        case let value as any RawRepresentable: text(of: value.rawValue, dates)
        case is any Collection, is any NamedValues: nil
        case let value as any CustomStringConvertible: value.description
        default: nil
        }
    }
}
