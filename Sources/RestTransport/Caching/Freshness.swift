// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The age and the freshness lifetime of a stored response.
///
/// - Source: RFC 9111 §4.2.
package struct Freshness: Sendable, Hashable {
    /// The freshness lifetime in seconds.
    package let lifetime: Double

    /// The current age in seconds; infinite if the clock was set back before the response time.
    package let age: Double

    /// Creates the freshness of a response from the times of its exchange.
    ///
    /// - Parameters:
    ///   - head: The stored status and header fields.
    ///   - control: The cache directives of the response.
    ///   - requestDate: The time at which the request was sent.
    ///   - responseDate: The time at which the response was received.
    ///   - date: The present time.
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
            // A Date field has whole seconds, so the fraction of the local clock must not count.
            let apparent = max(0, received.rounded(.down) - origin)
            let delay = max(0, responseDate.timeIntervalSince(requestDate))
            age = max(apparent, Double(dates.age ?? 0) + delay) + resident
        }
    }

    /// Creates the freshness of a stored response.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - control: The cache directives of the response.
    ///   - date: The present time.
    package init(of entry: CacheEntry, control: CacheControl, at date: Date) {
        self.init(
            of: entry.head, control: control, requestDate: entry.requestDate,
            responseDate: entry.responseDate, at: date)
    }

    /// A Boolean value that indicates whether the response may be reused without validation.
    package var isFresh: Bool { lifetime > age }

    /// The time since the response became stale, in seconds; negative while it is fresh.
    package var staleness: Double { age - lifetime }

    /// The age as the value of an `Age` field.
    package var ageInSeconds: Int {
        Int(min(max(age, 0), Double(CacheControl.maximumSeconds)))
    }

    /// Returns the time at which the response becomes stale, given the present time of the
    /// initializer.
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

    /// The heuristic freshness lifetime, as a fraction of the time since the last modification.
    ///
    /// - Source: RFC 9111 §4.2.2.
    private static let heuristicFraction = 0.1

    /// The maximum heuristic freshness lifetime, one day, in seconds.
    private static let heuristicLimit = 86_400.0
}

/// The fields that freshness depends on, collected in one pass.
///
/// Dates that may be unused stay text.
private struct FreshnessFields {
    var age: Int?
    var date: Double?
    var expires: String?
    var lastModified: String?

    /// A Boolean value that indicates whether there are different `Expires` values, which count as
    /// expired.
    var hasSeveralExpires = false

    private var hasAge = false

    mutating func add(_ field: HTTPField) {
        switch field.name.canonicalName {
        case "age":
            // The first value of a list counts.
            guard !hasAge else { return }
            hasAge = true
            let first = field.value.utf8.prefix { $0 != UInt8(ascii: ",") }
            age = DeltaSeconds.parse(Array(first)[...].trimmingWhitespace())
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
