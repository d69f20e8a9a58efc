// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct CookieJarTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private let jar = CookieJar()

    private func url(_ text: String) throws -> HTTPURL { try HTTPURL(parsing: text) }

    @discardableResult
    private func set(
        _ field: String, from address: String = "https://www.example.com/dir/page",
        after seconds: TimeInterval = 0
    ) throws -> Bool {
        jar.set(field, from: try url(address), at: Self.now + seconds)
    }

    private func sent(
        _ address: String = "https://www.example.com/dir/page", after seconds: TimeInterval = 0
    ) throws -> [String] {
        jar.cookies(for: try url(address), at: Self.now + seconds).map { "\($0.name)=\($0.value)" }
    }

    // MARK: Parsing

    @Test(
        arguments: [
            ("a=b", "a=b"), ("  a  =  b c  ; Path=/", "a=b c"), ("a=\"b\"", "a=\"b\""),
            ("a=b=c", "a=b=c"), ("a=", "a="), ("=b", "=b"), ("b", "=b"), ("a=b,c", "a=b,c"),
            ("a=b;;secure=x;nonsense", "a=b"), ("a=b\t", "a=b"), ("Ä=ö", "Ä=ö"),
            ("", nil), ("=", nil), (";a=b", nil), ("a=b\u{1}c", nil), ("a=b\u{7F}", nil),
            ("a=b; Path=\r\n/", nil),
        ] as [(String, String?)])
    func parsesNameAndValue(field: String, pair: String?) throws {
        #expect(try set(field) == (pair != nil))
        #expect(try sent() == (pair.map { [$0] } ?? []))
    }

    @Test(
        arguments: [
            ("Wed, 09 Jun 2027 10:18:14 GMT", 1_812_536_294),
            ("Wednesday, 09-Jun-27 10:18:14 GMT", 1_812_536_294),
            ("Wed Jun  9 10:18:14 2027", 1_812_536_294),
            ("9 june 2027 10:18:14 whatever", 1_812_536_294),
            ("10:18:14 09 Jun 2027 (GMT)", 1_812_536_294),
            ("10:18:14x 9th jUNe 27", 1_812_536_294),
            ("Mon, 29 Feb 2028 00:00:00 GMT", 1_835_395_200), ("1 Jan 70 0:0:0", 0),
            ("Tue, 29 Feb 2027 00:00:00 GMT", nil), ("32 Jan 2027 00:00:00", nil),
            ("1 Jan 2027 24:00:00", nil), ("1 Jan 2027", nil), ("1 Jan 1600 00:00:00", nil),
            ("1 Jan 2027 001:00:00", nil), ("tomorrow", nil), ("", nil),
        ] as [(String, TimeInterval?)])
    func parsesDateFormats(text: String, seconds: TimeInterval?) throws {
        let jar = CookieJar()
        let start = Date(timeIntervalSince1970: 1_780_000_000)
        let isPast = seconds.map { $0 < 1_780_000_000 } ?? false
        jar.set("a=b; Expires=\(text)", from: try url("https://h.example/"), at: start)
        let cookies = jar.cookies(for: try url("https://h.example/"), at: start)
        #expect(cookies.isEmpty == isPast)
        // The lifetime is limited to 400 days.
        let limit = start + 400 * 86400
        #expect(
            cookies.first?.expiry
                == (isPast ? nil : seconds.map { min(Date(timeIntervalSince1970: $0), limit) }))
    }

    // MARK: Time

    @Test func expiresCookies() throws {
        try set("a=1; Max-Age=10")
        try set("b=2; Expires=Thu, 01 Jan 2026 00:00:20 GMT")
        try set("c=3")
        #expect(try sent(after: 9) == ["a=1", "b=2", "c=3"])
        #expect(try sent(after: 10) == ["b=2", "c=3"])
        #expect(try sent(after: 20) == ["c=3"])
        try set("c=gone; Max-Age=0")
        #expect(try sent(after: 0) == ["a=1", "b=2"])
        try set("a=gone; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(try sent(after: 0) == ["b=2"])
    }

    @Test func prefersMaxAgeAndLimitsLifetime() throws {
        try set("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
        try set("b=2; Max-Age=99999999999999999999999999")
        try set("c=3; Max-Age=-99999999999999999999999999")
        try set("d=4; Max-Age=1x; Expires=Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(try sent() == ["a=1", "b=2", "d=4"])
        #expect(try sent(after: 400 * 86400 - 1) == ["b=2", "d=4"])
        #expect(try sent(after: 400 * 86400).isEmpty)
    }

    // MARK: Hosts

    @Test(
        arguments: [
            ("", "https://www.example.com/", true), ("", "https://example.com/", false),
            ("", "https://a.www.example.com/", false), ("", "https://www.example.com:8443/", false),
            ("", "http://www.example.com/", false),
            ("Domain=example.com", "https://www.example.com/", true),
            ("Domain=.EXAMPLE.com", "https://a.b.example.com:8443/", true),
            ("Domain=example.com", "http://example.com/", true),
            ("Domain=example.com", "https://badexample.com/", false),
            ("Domain=example.com", "https://example.com.evil/", false),
            ("Domain=www.example.com", "https://a.www.example.com/", true),
            ("Domain=www.example.com", "https://example.com/", false),
            ("Domain=", "https://a.www.example.com/", false),
            ("Domain=", "https://www.example.com/", true),
        ])
    func matchesHostOrDomain(
        domain: String, address: String, isSent: Bool
    ) throws {
        try set("a=1; Path=/; \(domain)")
        #expect(try sent(address) == (isSent ? ["a=1"] : []))
    }

    @Test(
        arguments: [
            ("www.example.com", "com"), ("www.example.com", "other.com"),
            ("www.example.com", "a.www.example.com"), ("www.example.com", "ample.com"),
            ("www.example.com", "www.example.com."), ("www.example.com", ".."),
            ("127.0.0.1", "0.0.1"), ("127.0.0.1", "1"), ("[::1]", "1]"),
            ("api.k.com", "\u{212A}.com"), ("localhost", "local"), ("a.localhost", "localhost"),
        ])
    func rejectsForeignDomains(host: String, domain: String) throws {
        #expect(try !set("a=1; Domain=\(domain)", from: "https://\(host)/"))
        #expect(try sent("https://\(host)/").isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]"])
    func restrictsAddressesToTheirHost(host: String) throws {
        #expect(try set("a=1; Domain=\(host)", from: "http://\(host):80/"))
        #expect(try sent("http://\(host)/") == ["a=1"])
        #expect(try sent("http://\(host):8080/").isEmpty)
    }

    @Test func rejectsPublicSuffixes() throws {
        var configuration = CookieConfiguration()
        configuration.isPublicSuffix = { $0 == "co.uk" || !$0.contains(".") }
        let jar = CookieJar(configuration: configuration)
        #expect(!jar.set("a=1; Domain=co.uk", from: try url("https://bbc.co.uk/")))
        #expect(jar.set("a=1; Domain=bbc.co.uk", from: try url("https://www.bbc.co.uk/")))
        #expect(jar.cookies(for: try url("https://news.bbc.co.uk/")).count == 1)
    }

    // MARK: Paths

    @Test(
        arguments: [
            ("", "/dir/page", true), ("", "/dir", true), ("", "/dir/sub/x", true),
            ("", "/directory", false), ("", "/", false), ("", "/DIR/", false),
            ("Path=/", "/x", true), ("Path=/", "", true), ("Path=", "/dir/x", true),
            ("Path=relative", "/dir/x", true), ("Path=/dir/", "/dir", false),
            ("Path=/dir/", "/dir/x", true), ("Path=/other", "/other?x=/dir", true),
            ("Path=/dir; Path=/other", "/dir/x", false),
        ])
    func matchesPath(attribute: String, path: String, isSent: Bool) throws {
        try set("a=1; \(attribute)")
        #expect(try sent("https://www.example.com\(path)") == (isSent ? ["a=1"] : []))
    }

    @Test func sendsLongerPathsFirstThenOlderCookies() throws {
        try set("root=1; Path=/")
        try set("second=2; Path=/dir")
        try set("third=3; Path=/dir")
        try set("deep=4; Path=/dir/page")
        try set("second=new; Path=/dir")
        #expect(try sent() == ["deep=4", "second=new", "third=3", "root=1"])
    }

    // MARK: Encryption and prefixes

    @Test func protectsSecureCookies() throws {
        #expect(try set("a=1; Secure; Domain=example.com"))
        #expect(try sent("https://example.com/dir/") == ["a=1"])
        #expect(try sent("http://example.com/dir/").isEmpty)
        #expect(try !set("b=2; Secure", from: "http://www.example.com/dir/page"))
        // An unencrypted connection must not shadow the cookie either.
        #expect(
            try !set("a=evil; Domain=example.com", from: "http://www.example.com/dir/page"))
        #expect(try !set("a=evil; Path=/dir/sub", from: "http://example.com/dir/page"))
        #expect(try set("a=other; Path=/", from: "http://other.example/"))
        #expect(try sent("https://example.com/dir/") == ["a=1"])
    }

    @Test(
        arguments: [
            ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__SECURE-a=1", false),
            ("__Host-a=1; Secure; Path=/", true), ("__Host-a=1; Secure", false),
            ("__Host-a=1; Path=/", false), ("__host-a=1; Secure; Path=/dir", false),
            ("__Host-a=1; Secure; Path=/; Domain=www.example.com", false),
            ("=__Host-a=1; Secure; Path=/", false), ("__Secure-a", false),
            ("a=1; SameSite=None", false), ("a=1; SameSite=None; Secure", true),
        ])
    func enforcesNamePrefixes(field: String, isKept: Bool) throws {
        #expect(try set(field) == isKept)
        #expect(try sent("https://www.example.com/dir/").isEmpty == !isKept)
    }

    // MARK: Limits

    @Test func rejectsLargeCookies() throws {
        let value = String(repeating: "v", count: 4095)
        #expect(try set("a=\(value)"))
        #expect(try !set("a=\(value)v"))
        #expect(try sent() == ["a=\(value)"])
        // An attribute with a long value is ignored.
        #expect(try set("b=1; Path=/\(String(repeating: "p", count: 1024))"))
        #expect(try sent().count == 2)
    }

    @Test func evictsLeastRecentlyUsedOfDomain() throws {
        var configuration = CookieConfiguration()
        configuration.countPerDomain = 3
        let jar = CookieJar(configuration: configuration)
        let address = try url("https://h.example/")
        for field in ["secure=1; Secure", "old=2", "new=3"] {
            jar.set(field, from: address, at: Self.now)
        }
        jar.set("other=4", from: address, at: Self.now)
        #expect(jar.cookies(for: address, at: Self.now).map(\.name) == ["secure", "new", "other"])
        jar.set("late=5; Max-Age=5", from: address, at: Self.now)
        #expect(jar.cookies(for: address, at: Self.now).map(\.name) == ["secure", "other", "late"])
        jar.set("last=6", from: address, at: Self.now + 5)
        #expect(
            jar.cookies(for: address, at: Self.now + 5).map(\.name) == ["secure", "other", "last"])
    }

    @Test func evictsLeastRecentlyUsedOfAll() throws {
        var configuration = CookieConfiguration()
        configuration.count = 10
        let jar = CookieJar(configuration: configuration)
        for number in 0..<100 {
            jar.set("a=\(number)", from: try url("https://h\(number).example/"), at: Self.now)
        }
        let kept = try (0..<100).filter { number in
            !jar.cookies(for: try url("https://h\(number).example/"), at: Self.now).isEmpty
        }
        #expect(kept == Array(90..<100))
    }

    // MARK: Principals

    @Test func separatesPrincipals() throws {
        let address = try url("https://h.example/")
        jar.set("a=nobody", from: address)
        jar.set("a=ann", from: address, for: Principal("ann"))
        jar.set("a=bob", from: address, for: Principal("bob"))
        func values(_ principal: Principal?) -> [String] {
            jar.cookies(for: address, of: principal).map(\.value)
        }
        #expect(values(nil) == ["nobody"])
        #expect(values(Principal("ann")) == ["ann"])
        #expect(values(Principal("cleo")).isEmpty)
        jar.removeAll(of: Principal("ann"))
        #expect(values(Principal("ann")).isEmpty)
        #expect(values(Principal("bob")) == ["bob"])
        jar.removeAll()
        #expect(values(nil).isEmpty)
    }

    @Test func describesCookieWithoutValue() throws {
        try set("name=canary")
        let cookie = try #require(jar.cookies(for: url("https://www.example.com/dir/")).first)
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!"\(cookie) \(String(reflecting: cookie)) \(dumped)".contains("canary"))
        #expect("\(cookie)" == "Cookie name for www.example.com")
    }
}
