// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct FreshnessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var what: String
        var status = 200
        var fields: [(String, String)]
        var delay = 0.0
        var elapsed = 0.0
        var lifetime: Double
        var age: Double
        var testDescription: String { what }
    }

    private static func date(_ seconds: Double) -> String { CacheSamples.date(seconds) }

    private static func freshness(
        _ status: Int, _ fields: [(String, String)], delay: Double = 0, elapsed: Double = 0
    ) -> Freshness {
        let head = CacheSamples.head(status, fields)
        let now = CacheSamples.now
        return Freshness(
            of: head, control: CacheControl(head.headerFields),
            requestDate: now.addingTimeInterval(-delay), responseDate: now,
            at: now.addingTimeInterval(elapsed))
    }

    static let rows: [Row] = [
        Row(what: "nothing", fields: [], lifetime: 0, age: 0),
        Row(what: "max-age", fields: [("Cache-Control", "max-age=60")], lifetime: 60, age: 0),
        Row(
            what: "resident", fields: [("Cache-Control", "max-age=60")], elapsed: 61.5,
            lifetime: 60, age: 61.5),
        Row(
            what: "Age", fields: [("Cache-Control", "max-age=60"), ("Age", "50")], delay: 2,
            elapsed: 3, lifetime: 60, age: 55),
        Row(
            what: "Date long ago", fields: [("Cache-Control", "max-age=60"), ("Date", date(-90))],
            elapsed: 1, lifetime: 60, age: 91),
        Row(
            what: "the greater of Date and Age",
            fields: [("Cache-Control", "max-age=60"), ("Date", date(-90)), ("Age", "100")],
            lifetime: 60, age: 100),
        Row(
            what: "Expires", fields: [("Date", date(0)), ("Expires", date(30))], lifetime: 30,
            age: 0),
        Row(
            what: "Expires counts from Date", fields: [("Date", date(10)), ("Expires", date(20))],
            lifetime: 10, age: 0),
        Row(
            what: "Expires without a valid Date", fields: [("Date", "foo"), ("Expires", date(20))],
            lifetime: 20, age: 0),
        Row(what: "Expires in the past", fields: [("Expires", date(-5))], lifetime: 0, age: 0),
        Row(
            what: "Expires that is no date",
            fields: [("Expires", "0"), ("Last-Modified", date(-999))],
            lifetime: 0, age: 0),
        Row(
            what: "two Expires that differ",
            fields: [("Expires", date(20)), ("Expires", date(30))], lifetime: 0, age: 0),
        Row(
            what: "two Expires that agree",
            fields: [("Expires", date(20)), ("Expires", date(20))], lifetime: 20, age: 0),
        Row(
            what: "max-age before Expires",
            fields: [("Cache-Control", "max-age=1"), ("Expires", date(20))], lifetime: 1, age: 0),
        Row(
            what: "max-age 0 before Expires",
            fields: [("Expires", date(3600)), ("Cache-Control", "max-age=0")], lifetime: 0, age: 0),
        Row(
            what: "a tenth since the last change",
            fields: [("Last-Modified", date(-1000)), ("Date", date(0))], lifetime: 100, age: 0),
        Row(
            what: "a day at most", fields: [("Last-Modified", date(-9_000_000_000))],
            lifetime: 86_400, age: 0),
        Row(
            what: "no guess for a 202", status: 202, fields: [("Last-Modified", date(-1000))],
            lifetime: 0, age: 0),
        Row(
            what: "a guess for a public 202", status: 202,
            fields: [("Last-Modified", date(-1000)), ("Cache-Control", "public")], lifetime: 100,
            age: 0),
        Row(
            what: "changed in the future", fields: [("Last-Modified", date(50))], lifetime: 0,
            age: 0),
        Row(
            what: "the first Age of a list", fields: [("Age", "0, 7200")], lifetime: 0, age: 0),
        Row(
            what: "the first Age of lines", fields: [("Age", "7200"), ("Age", "0")], lifetime: 0,
            age: 7200),
        Row(what: "an Age that is none", fields: [("Age", "-7200")], lifetime: 0, age: 0),
        Row(what: "an Age with a parameter", fields: [("Age", "7;a=b")], lifetime: 0, age: 0),
    ]

    @Test(arguments: rows)
    func computesLifetimeAndAge(row: Row) {
        let freshness = Self.freshness(
            row.status, row.fields, delay: row.delay, elapsed: row.elapsed)
        #expect(freshness.lifetime == row.lifetime)
        #expect(abs(freshness.age - row.age) < 0.001)
        #expect(freshness.isFresh == (row.lifetime > row.age))
    }

    @Test(.parity("N313"))
    func expiresAtDatePlusMaxAge() {
        let now = CacheSamples.now
        func expiration(_ more: (String, String)...) -> Date {
            let fields = [("Cache-Control", "public, max-age=3600"), ("Date", Self.date(0))]
            return Self.freshness(200, fields + more).expiration(at: now)
        }
        #expect(expiration() == now.addingTimeInterval(3600))
        #expect(expiration(("Age", "3660")) < now)
        #expect(expiration(("Age", "3540")) == now.addingTimeInterval(60))
    }

    struct Absurdity: Sendable, CustomTestStringConvertible {
        var what: String
        var fields: [(String, String)]
        var elapsed = 0.0
        var isFresh: Bool
        var testDescription: String { what }
    }

    static let absurdities: [Absurdity] = [
        Absurdity(
            what: "Age 10^30",
            fields: [
                ("Cache-Control", "max-age=3600"), ("Age", "1" + String(repeating: "0", count: 30)),
            ],
            isFresh: false),
        Absurdity(
            what: "Age 10^30 and max-age 10^30",
            fields: [
                ("Cache-Control", "max-age=1" + String(repeating: "0", count: 30)),
                ("Age", "1" + String(repeating: "0", count: 30)),
            ], isFresh: false),
        Absurdity(
            what: "max-age 2^63 now", fields: [("Cache-Control", "max-age=9223372036854775808")],
            isFresh: true),
        Absurdity(
            what: "max-age 2^63 after 69 years",
            fields: [("Cache-Control", "max-age=9223372036854775808")], elapsed: 69 * 31_557_600,
            isFresh: false),
        Absurdity(
            what: "Date in 2099 and max-age",
            fields: [
                ("Date", "Thu, 01 Jan 2099 00:00:00 GMT"), ("Cache-Control", "max-age=60"),
            ], elapsed: 61, isFresh: false),
        Absurdity(
            what: "Date in 2099 and Expires",
            fields: [
                ("Date", "Thu, 01 Jan 2099 00:00:00 GMT"),
                ("Expires", "Thu, 01 Jan 2099 00:01:00 GMT"),
            ], elapsed: 61, isFresh: false),
        Absurdity(
            what: "Expires in 9999 after 69 years",
            fields: [("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")], elapsed: 69 * 31_557_600,
            isFresh: false),
        Absurdity(
            what: "clock set back a year", fields: [("Cache-Control", "max-age=999999999")],
            elapsed: -31_557_600, isFresh: false),
        Absurdity(
            what: "clock set back a little", fields: [("Cache-Control", "max-age=3600")],
            elapsed: -0.5, isFresh: false),
    ]

    @Test(.threat("T45"), arguments: absurdities)
    func limitsFreshnessForAbsurdFields(row: Absurdity) {
        let freshness = Self.freshness(200, row.fields, elapsed: row.elapsed)
        #expect(freshness.isFresh == row.isFresh)
        #expect((0...CacheControl.maximumSeconds).contains(freshness.ageInSeconds))
    }
}
