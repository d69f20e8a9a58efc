// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Synchronization

/// An interceptor that adds an ID to each request, by which logs of client and server can be
/// matched.
///
/// Place it first in ``HTTPClient/interceptors``: then the ID stays the same for redirects to the
/// same origin, for retries, and for the request after a refreshed credential, and
/// ``LoggingInterceptor`` logs it. In ``HTTPClient/networkInterceptors``, after a
/// ``RetryInterceptor``, each exchange gets an ID of its own. A request that has the field keeps
/// it.
public struct RequestIDInterceptor: HTTPInterceptor {
    /// The name of the field; `X-Request-ID` by default.
    public let fieldName: HTTPField.Name

    private let makeID: @Sendable () -> String

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - fieldName: The name of the field.
    ///   - makeID: Returns an ID of characters that are valid in a field; by default 32 hexadecimal
    ///     digits that do not repeat.
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

    /// Sends a request with an ID.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the ID is not valid in a field.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        if request.headerFields.contains(fieldName) { return try await next.send(request) }
        var request = request
        try request.headerFields.set(makeID(), for: fieldName.rawName)
        return try await next.send(request)
    }
}

/// A sequence of 128-bit IDs: 64 random bits that are constant for the sequence, and 64 bits that
/// never repeat.
///
/// Random IDs would need two calls of the system's generator for each request.
private final class RequestIDSequence: Sendable {
    private let start = UInt64.random(in: .min ... .max)
    private let offset = UInt64.random(in: .min ... .max)
    private let count = Atomic<UInt64>(0)

    func next() -> String {
        let count = count.wrappingAdd(1, ordering: .relaxed).newValue
        // A bijective mix (SplitMix64), so that IDs do not reveal the number of requests.
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
