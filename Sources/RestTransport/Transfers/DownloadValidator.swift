// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A strong validator of a representation, with which a range of exactly this representation can be
/// requested.
///
/// - Source: RFC 9110 §8.8, §13.1.5.
enum DownloadValidator: Sendable, Hashable {
    case entityTag(String)
    case lastModified(String)

    /// The minimum time between modification and response for a date to be a strong validator.
    private static let minimumAge: TimeInterval = 60

    /// Creates the validator of a response, or returns `nil` if it has none that is strong.
    init?(of fields: HTTPFields) {
        if let tag = fields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let text = fields[.lastModified], let modified = HTTPDate.parse(text),
            let date = fields[.date].flatMap({ HTTPDate.parse($0) }),
            date.timeIntervalSince(modified) >= Self.minimumAge
        else { return nil }
        self = .lastModified(text)
    }

    /// Creates a validator from the value of an `If-Range` field.
    init?(fieldValue: String) {
        if Self.isStrong(fieldValue) {
            self = .entityTag(fieldValue)
        } else if HTTPDate.parse(fieldValue) != nil {
            self = .lastModified(fieldValue)
        } else {
            return nil
        }
    }

    /// The value of the `If-Range` field.
    var fieldValue: String {
        switch self {
        case .entityTag(let value), .lastModified(let value): value
        }
    }

    /// Returns a Boolean value that indicates whether a partial response is of the representation.
    ///
    /// A partial response contains the entity tag of the representation, but may lack its date.
    func matches(_ fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag] == tag
        case .lastModified(let date): (fields[.lastModified] ?? date) == date
        }
    }

    /// Returns a Boolean value that indicates whether a tag is strong.
    ///
    /// A tag of other bytes than ASCII counts as weak: as text it might be that of other bytes.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = tag.utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"")
            && bytes.last == UInt8(ascii: "\"") && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
