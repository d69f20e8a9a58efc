// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct RetryAfterTests {
    private static let date = Date(timeIntervalSince1970: 1_767_225_600)

    @Test(
        arguments: [
            (["Retry-After": "120"], 120),
            (["Retry-After": "0"], 0),
            (["Retry-After": "1.5"], 1),
            (["Retry-After": "7 "], 7),
            (["Retry-After": "Thu, 01 Jan 2026 00:02:00 GMT"], 120),
            (["Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT"], 0),
            (["Retry-After": "Wed, 31 Dec 2025 00:00:00 GMT"], 0),
            (["Retry-After": "99999999999999999999"], 10_000_000_000),
            (["Retry-After": "-1"], nil),
            (["Retry-After": "soon"], nil),
            (["Retry-After": ""], nil),
            (["Retry-After": "5", "RateLimit-Reset": "9"], 5),
            (["Retry-After": "soon", "RateLimit-Reset": "9"], 9),
            (["RateLimit": "\"default\";r=0;t=30"], 30),
            (["RateLimit": "\"a\";r=0; t=31, \"b\";r=1;t=5"], 31),
            (["RateLimit": "limit=100, remaining=0, reset=50"], 50),
            (["RateLimit": "limit=100"], nil),
            (["RateLimit-Reset": "9"], 9),
            (["X-RateLimit-Reset": "1767225690"], 90),
            (["X-RateLimit-Reset": "1767225000"], 0),
            (["X-RateLimit-Reset": "45"], 45),
            (["X-RateLimit-Reset": "2026"], 2026),
            ([:], nil),
        ] as [([String: String], Int?)])
    func parsesDelays(fields: [String: String], seconds: Int?) throws {
        var headerFields = HTTPFields()
        for (name, value) in fields {
            headerFields.append(
                HTTPField(name: try #require(HTTPField.Name(name)), lenientValue: value.utf8))
        }
        let delay = RetryAfter.delay(in: headerFields, date: Self.date)
        #expect(delay == seconds.map { .seconds($0) })
    }
}
