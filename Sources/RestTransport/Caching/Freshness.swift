// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// How old a stored response is and how old it may get.
///
/// - Source: RFC 9111 §4.2.
package struct Freshness: Sendable, Hashable {
    /// How old the response may get and be fresh, in seconds.
    package let lifetime: Double

    /// How old it is, in seconds; infinite when the clock has gone back behind its arrival.
    package let age: Double

    /// Computes from a response and the times of its exchange.
    ///
    /// - Parameters:
    ///   - head: The response as stored.
    ///   - control: Its directives.
    ///   - requestDate: When the request was sent.
    ///   - responseDate: When the response came.
    ///   - date: The present.
    package init(
        of head: HTTPResponse, control: CacheControl, requestDate: Date, responseDate: Date,
        at date: Date
    ) {
        var dates = FreshnessFields()
        for field in head.headerFields { dates.add(field) }
        let received = responseDate.timeIntervalSince1970
        let origin = dates.date ?? received
        lifetime = Self.lifetime(head, control, dates, origin: origin)
        let resident = date.timeIntervalSince(responseDate)
        if resident < 0 {
            age = .infinity
        } else {
            // A Date field counts whole seconds, so the fraction of our own clock is no age.
            let apparent = max(0, received.rounded(.down) - origin)
            let delay = max(0, responseDate.timeIntervalSince(requestDate))
            age = max(apparent, Double(dates.age ?? 0) + delay) + resident
        }
    }

    /// Computes for a stored response.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - control: Its directives.
    ///   - date: The present.
    package init(of entry: CacheEntry, control: CacheControl, at date: Date) {
        self.init(
            of: entry.head, control: control, requestDate: entry.requestDate,
            responseDate: entry.responseDate, at: date)
    }

    /// Whether the response may be served without asking.
    package var isFresh: Bool { lifetime > age }

    /// How long it has not been fresh, in seconds; negative while it is.
    package var staleness: Double { age - lifetime }

    /// The age as an `Age` field gives it.
    package var ageInSeconds: Int {
        Int(min(max(age, 0), Double(CacheControl.maximumSeconds)))
    }

    /// When the response stops being fresh, counted from the present that was given.
    package func expiration(at date: Date) -> Date {
        date.addingTimeInterval(-staleness)
    }

    private static func lifetime(
        _ head: HTTPResponse, _ control: CacheControl, _ dates: FreshnessFields, origin: Double
    ) -> Double {
        if let maxAge = control.maxAge { return Double(maxAge) }
        if let text = dates.expires {
            guard !dates.hasSeveralExpires, let expires = HTTPDate.parse(text) else { return 0 }
            let limit = Double(CacheControl.maximumSeconds)
            return min(max(0, expires.timeIntervalSince1970 - origin), limit)
        }
        guard control.isPublic || StorableResponse.isHeuristicallyCacheable(head.status.code),
            let modified = dates.lastModified.flatMap({ HTTPDate.parse($0) })
        else { return 0 }
        let unchanged = max(0, origin - modified.timeIntervalSince1970)
        return min(unchanged * heuristicFraction, heuristicLimit)
    }

    /// What part of the time since the last change a response without expiry stays fresh.
    ///
    /// - Source: RFC 9111 §4.2.2.
    private static let heuristicFraction = 0.1

    /// The most that a guess is trusted: a day.
    private static let heuristicLimit = 86_400.0
}

/// The fields that freshness is computed from, found in one walk; dates that may not be needed are
/// left as text.
private struct FreshnessFields {
    var age: Int?
    var date: Double?
    var expires: String?
    var lastModified: String?

    /// Whether there are different expiries, which make none and count as expired.
    var hasSeveralExpires = false

    private var hasAge = false

    mutating func add(_ field: HTTPField) {
        switch field.name.canonicalName {
        case "age":
            // Of a list the first value counts.
            guard !hasAge else { return }
            hasAge = true
            let first = field.value.utf8.prefix { $0 != UInt8(ascii: ",") }
            age = HTTPNumber.seconds(Array(first)[...].trimmingBlanks())
        case "date":
            date = HTTPDate.parse(field.value)?.timeIntervalSince1970
        case "expires":
            hasSeveralExpires = hasSeveralExpires || expires.map { $0 != field.value } == true
            expires = field.value
        case "last-modified":
            lastModified = field.value
        default:
            break
        }
    }
}
