// SPDX-License-Identifier: Apache-2.0

import RestTransport
import TestSupport
import Testing

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com"),
        ("HTTP://EXAMPLE.com:80/A", "http://example.com/A"),
        ("https://example.com:443?x", "https://example.com?x"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://h:/", "http://h/"),
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/a/%2e%2E/c", "http://h/c"),
        ("http://h/a/..", "http://h/"),
        ("http://h/../../x", "http://h/x"),
        ("http://h/...", "http://h/..."),
        ("http://h/a b/é?q=\"1\"#f g", "http://h/a%20b/%C3%A9?q=%221%22#f%20g"),
        ("http://h/100%?f[x]=%zz", "http://h/100%25?f%5Bx%5D=%25zz"),
        ("http://[2001:DB8:0:0:0:0:0:1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://[::]/", "http://[::]/"),
        ("http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"),
        ("http://[64:FF9B::192.0.2.33]:81/", "http://[64:ff9b::c000:221]:81/"),
        ("http://[1:2:3:4:5:6:255.0.0.1]/", "http://[1:2:3:4:5:6:ff00:1]/"),
        ("http://[::0.0.0.0]/", "http://[::]/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://a_b.example./", "http://a_b.example./"),
    ])
    func normalizesToCanonicalForm(input: String, text: String) throws {
        #expect(try HTTPURL(parsing: input).text == text)
        #expect(try HTTPURL(parsing: text).text == text)
    }

    @Test(arguments: [
        "", "example.com", "ftp://h/", "http:/h", "http:h", "http:///x", "http://", "//h/x",
        "http://user@h/", "http://user:secret@h/", "http://h\\@evil/", "http:\\\\h", "http://h\n/",
        "http://h/\u{0}", "http://h/a\r\nb", " http://h/", "http://h h/", "http://h%2e/",
        "http://h:0/", "http://h:65536/", "http://h:1x/", "http://h:-1/", "http://[::1/",
        "http://[::1]x/", "http://[1::2::3]/", "http://[::1%25eth0]/", "http://[12345::]/",
        "http://[::1.2.3]/", "http://[::1.2.3.4.5]/", "http://[::1.2.3.256]/",
        "http://[::1.2.3.04]/", "http://[1.2.3.4::]/", "http://[1.2.3.4]/", "http://[::1.2..4]/",
        "http://[1:2:3:4:5:6:7:1.2.3.4]/", "http://[::1.2.3.+4]/", "http://[::1.2.3.4:1]/",
        "http://1.2.3/", "http://0x7f.1/", "http://127.0.0.01/", "http://256.1.1.1/",
        "http://2130706433/", "http://1.2.3.4./", "http://a..b/", "http://.a/",
        "http://ex\u{E4}mple/",
        "http://h\u{2024}x/", "http://\(String(repeating: "a", count: 64)).b/",
    ])
    func rejectsAmbiguousURLs(input: String) {
        let error = #expect(throws: TransportError.self) { try HTTPURL(parsing: input) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.stage == .preparing)
    }

    @Test func returnsItsComponents() throws {
        let url = try HTTPURL(parsing: "https://api.example.com:8443/v1/a%2Fb?x=1&y=2#part")
        #expect(url.scheme == .https)
        #expect(url.host == "api.example.com")
        #expect(url.port == 8443)
        #expect(url.authority == "api.example.com:8443")
        #expect(url.path == "/v1/a%2Fb")
        #expect(url.query == "x=1&y=2")
        #expect(url.fragment == "part")
        #expect(url.requestTarget == "/v1/a%2Fb?x=1&y=2")
        #expect(url.requestText == "https://api.example.com:8443/v1/a%2Fb?x=1&y=2")
        #expect(url.origin.description == "https://api.example.com:8443")
        #expect(url.redacted == "https://api.example.com:8443/v1/a%2Fb?…")
        let bare = try HTTPURL(parsing: "http://h?q")
        #expect(bare.path == "")
        #expect(bare.requestTarget == "/?q")
        #expect(bare.fragment == nil)
    }

    @Test(
        .parity(
            "N001", "N002", "N003", "N004", "N005", "N006", "N007", "N008", "N009", "N010", "N011",
            "N012"),
        arguments: [
            ("http://restkit.org/path", "http://google.com/path", nil),
            ("http://restkit.org", nil, ""),
            ("http://restkit.org/", nil, "/"),
            ("http://restkit.org/the/path", nil, "/the/path"),
            (
                "http://restkit.org/search?this=that&type=search", nil,
                "/search?this=that&type=search"
            ),
            ("http://restkit.org", "http://restkit.org", ""),
            ("http://restkit.org/", "http://restkit.org/", ""),
            (
                "http://restkit.org/search?this=that&type=search", "http://restkit.org",
                "/search?this=that&type=search"
            ),
            (
                "http://restkit.org/search?this=that&type=search", "http://restkit.org/",
                "search?this=that&type=search"
            ),
            (
                "http://restkit.org/api/v1/search?this=that&type=search",
                "http://restkit.org/api/v1",
                "/search?this=that&type=search"
            ),
            (
                "http://restkit.org/api/v1/search?this=that&type=search",
                "http://restkit.org/api/v1/",
                "search?this=that&type=search"
            ),
            (
                "http://restkit.org/api/v1/search/?this=that&type=search", nil,
                "/api/v1/search/?this=that&type=search"
            ),
        ] as [(String, String?, String?)])
    func returnsThePartRelativeToABase(url: String, base: String?, relative: String?) throws {
        let base = try base.map { try HTTPURL(parsing: $0) }
        #expect(try HTTPURL(parsing: url).relativePart(to: base) == relative)
    }

    @Test(
        .threat("T36"),
        arguments: [
            ("http://restkit.org/api/v10/x", "http://restkit.org/api/v1"),
            ("http://restkit.org.example/x", "http://restkit.org"),
            ("http://restkit.org:81/x", "http://restkit.org"),
            ("https://restkit.org/x", "http://restkit.org"),
            ("http://restkit.org/api/v1/../secret", "http://restkit.org/api/v1/"),
            ("http://base.evil.com/x", "http://base"), ("http://base/v1x", "http://base/v1"),
            ("http://base/v1%2Fx", "http://base/v1"),
        ])
    func hasNoRelativePartOutsideOfBase(url: String, base: String) throws {
        #expect(try HTTPURL(parsing: url).relativePart(to: HTTPURL(parsing: base)) == nil)
    }
}
