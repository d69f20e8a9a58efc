// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A request of the outbox, which is never changed once it is written.
///
/// It has no credentials, which are added to each send.
package struct FrozenRequest: Sendable, Hashable {
    package let method: String
    package let path: String
    /// The header fields, without credentials.
    package let fields: [String: String]
    package let body: Data
    /// The idempotency key of a creation.
    package let idempotencyKey: String?
    /// A Boolean value that indicates whether the server executes the request only if the object has the
    /// version that it is based on, or only if no object has the identity of a new one.
    package let isConditional: Bool

    package init(
        method: String, path: String, fields: [String: String] = [:], body: Data = Data(),
        idempotencyKey: String? = nil, isConditional: Bool = false
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.isConditional = isConditional
    }
}

/// An entry on its way: the request, and the sends of it.
package struct OutboxAttempt: Sendable, Hashable {
    /// The number of the attempt, which no other one has.
    package let number: Int64
    package let request: FrozenRequest
    package let firstSent: Date
    package private(set) var lastSent: Date
    /// The number of sends, which is committed before each of them.
    package private(set) var sendCount = 1
    /// The time of the last send that may have had an effect without a known answer.
    package private(set) var lastUncertain: Date?

    init(_ request: FrozenRequest, number: Int64, at date: Date) {
        self.number = number
        self.request = request
        firstSent = date
        lastSent = date
    }

    /// Creates an attempt that was stored.
    package init(
        stored request: FrozenRequest, number: Int64, firstSent: Date, lastSent: Date,
        sendCount: Int, lastUncertain: Date?
    ) {
        self.request = request
        self.number = number
        self.firstSent = firstSent
        self.lastSent = lastSent
        self.sendCount = sendCount
        self.lastUncertain = lastUncertain
    }

    mutating func noteSend(at date: Date) {
        sendCount += 1
        lastSent = date
    }

    /// Notes that the last send may have had its effect.
    mutating func noteUncertainty() { lastUncertain = lastSent }

    /// A Boolean value that indicates whether a send may have had an effect that is not known.
    package var isUncertain: Bool { lastUncertain != nil }

    /// Returns the time until which a send may still be executed; `nil` if it is known that none can.
    func end(ofLife longestLife: Duration) -> Date? { lastUncertain?.adding(longestLife) }
}

extension Date {
    /// Returns the date after a duration.
    package func adding(_ duration: Duration) -> Date {
        addingTimeInterval(duration / .seconds(1))
    }
}
