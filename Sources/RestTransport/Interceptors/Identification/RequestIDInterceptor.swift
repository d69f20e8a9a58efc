// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Synchronization

/// Gives each request an id, by which logs here and at the server can be matched.
///
/// Stands first in ``HTTPClient/interceptors``: then the id stays the same over redirects to the same
/// origin, over the replay after a refreshed credential and over repetitions, and
/// ``LoggingInterceptor`` shows it. In ``HTTPClient/networkInterceptors``, inside of a
/// ``RetryInterceptor``, each exchange gets one of its own. A request that has the field keeps it.
public struct RequestIDInterceptor: HTTPInterceptor {
    /// The field; `X-Request-ID` by default.
    public let fieldName: HTTPField.Name

    private let makeID: @Sendable () -> String

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - fieldName: The field.
    ///   - makeID: Makes an id of characters that a field may hold; by default 32 hexadecimal digits
    ///     that do not repeat.
    public init(
        fieldName: HTTPField.Name = .requestID, makeID: (@Sendable () -> String)? = nil
    ) {
        self.fieldName = fieldName
        if let makeID {
            self.makeID = makeID
        } else {
            let ids = RequestIDSequence()
            self.makeID = { ids.next() }
        }
    }

    /// Sends a request with an id.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        if request.headerFields.contains(fieldName) { return try await next.send(request) }
        var request = request
        request.headerFields.append(HTTPField(name: fieldName, value: makeID()))
        return try await next.send(request)
    }
}

/// Ids of 128 bits: 64 random ones that are the same for the sequence, and 64 that never repeat.
///
/// Drawing all of them would ask the system twice for each request.
private final class RequestIDSequence: Sendable {
    private let start = UInt64.random(in: .min ... .max)
    private let offset = UInt64.random(in: .min ... .max)
    private let count = Atomic<UInt64>(0)

    func next() -> String {
        let count = count.wrappingAdd(1, ordering: .relaxed).newValue
        // A one-to-one mixing, so that ids do not tell how many requests there were.
        var value = (count &+ offset) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        Self.append(start, to: &digits)
        Self.append(value, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    private static func append(_ value: UInt64, to digits: inout [UInt8]) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: value >> shift) & 15
            digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
