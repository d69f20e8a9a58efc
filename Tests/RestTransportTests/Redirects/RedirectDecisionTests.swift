// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import Testing

@Suite struct RedirectDecisionTests {
    private static let headerFields: HTTPFields = [
        .accept: "application/json", .userAgent: "test", .contentType: "text/plain",
        .authorization: "canary", .cookie: "canary", .ifNoneMatch: "canary",
    ]

    private func decide(
        _ status: Int, to locations: [String], from url: String = "http://a.example/dir/start#part",
        method: HTTPRequest.Method = .get, body: MessageBody = .empty, count: Int = 0,
        policy: RedirectPolicy = .default
    ) throws -> RedirectDecision {
        let request = TransportRequest(
            method: method, url: try HTTPURL(parsing: url), headerFields: Self.headerFields,
            body: body)
        var response = HTTPResponse(status: HTTPResponse.Status(code: status))
        response.headerFields[values: .location] = locations
        return RedirectDecision.decide(
            on: response, to: request, after: count, limit: 10, policy: policy)
    }

    private func next(_ decision: RedirectDecision) throws -> TransportRequest {
        guard case .follow(let request, _) = decision else {
            throw TransportError(.redirectRefused, stage: .preparing, reason: "\(decision)")
        }
        return request
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 399, 404, 500])
    func deliversOtherStatuses(status: Int) throws {
        #expect(try decide(status, to: ["/next"]) == .deliver)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func deliversRedirectWithoutLocation(status: Int) throws {
        #expect(try decide(status, to: []) == .deliver)
        var policy = RedirectPolicy()
        policy.followsRedirects = false
        #expect(try decide(status, to: ["/next"], policy: policy) == .deliver)
    }

    @Test(arguments: [
        ("next", "http://a.example/dir/next#part"),
        ("/next", "http://a.example/next#part"),
        ("?q", "http://a.example/dir/start?q#part"),
        ("http://a.example/x#other", "http://a.example/x#other"),
        ("//b.example/x", "http://b.example/x#part"),
        ("https://a.example/x", "https://a.example/x#part"),
        ("/a b/é", "http://a.example/a%20b/%C3%A9#part"),
    ])
    func resolvesLocation(location: String, target: String) throws {
        #expect(try next(decide(302, to: [location])).url.text == target)
    }

    @Test(arguments: [
        "", "file:///etc/passwd", "javascript:alert(1)", "http:evil", "http://user:pw@a.example/",
        "http://a.example\\@evil/", "/\\evil", "\\\\evil", "http://", "data:,x",
    ])
    func refusesInvalidTargets(location: String) throws {
        guard case .refuse(let code, _) = try decide(302, to: [location]) else {
            Issue.record("followed")
            return
        }
        #expect(code == .redirectRefused)
    }

    @Test func refusesConflictingLocations() throws {
        guard case .refuse(.redirectRefused, _) = try decide(302, to: ["/a", "/b"]) else {
            Issue.record("followed")
            return
        }
        #expect(try next(decide(302, to: ["/a", "/a"])).url.path == "/a")
    }

    @Test func stopsAtRedirectLimit() throws {
        #expect(try next(decide(302, to: ["/next"], count: 9)).url.path == "/next")
        guard case .refuse(.tooManyRedirects, _) = try decide(302, to: ["/next"], count: 10) else {
            Issue.record("followed")
            return
        }
    }

    @Test(
        arguments: [
            (301, "GET", "GET", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
            (302, "POST", "GET", false), (302, "HEAD", "HEAD", true),
            (302, "DELETE", "DELETE", true),
            (303, "POST", "GET", false), (303, "PUT", "GET", false), (303, "HEAD", "HEAD", false),
            (307, "POST", "POST", true), (307, "PATCH", "PATCH", true), (308, "PUT", "PUT", true),
        ] as [(Int, String, String, Bool)])
    func changesMethodAccordingToRFC9110(
        status: Int, before: String, after: String, keepsBody: Bool
    ) throws {
        let request = try next(
            decide(
                status, to: ["/next"], method: HTTPRequest.Method(checking: before),
                body: .bytes([1, 2, 3])))
        #expect(request.method.rawValue == after)
        #expect(request.body == (keepsBody ? .bytes([1, 2, 3]) : .empty))
        #expect(request.headerFields.contains(.contentType) == keepsBody)
        #expect(request.headerFields[.authorization] == "canary")
    }

    @Test(arguments: [
        "https://a.example/", "http://a.example:8080/", "http://b.example/",
        "http://sub.a.example/", "http://a.example.evil/",
    ])
    func keepsOnlyHarmlessFieldsAcrossOrigins(location: String) throws {
        let request = try next(decide(302, to: [location]))
        let names = Set(request.headerFields.map(\.name.canonicalName))
        #expect(names == ["accept", "user-agent"])
        var policy = RedirectPolicy()
        policy.trustedOrigins = [try HTTPURL(parsing: location).origin]
        let trusted = try next(decide(302, to: [location], policy: policy))
        #expect(trusted.headerFields == Self.headerFields)
    }

    @Test func refusesBodyAcrossOrigins() throws {
        for status in [307, 308] {
            let decision = try decide(
                status, to: ["http://b.example/"], method: .post, body: .bytes([1]))
            guard case .refuse(.redirectRefused, _) = decision else {
                Issue.record("followed \(status)")
                return
            }
            var policy = RedirectPolicy()
            policy.trustedOrigins = [try HTTPURL(parsing: "http://b.example").origin]
            let trusted = try decide(
                status, to: ["http://b.example/"], method: .post, body: .bytes([1]), policy: policy)
            #expect(try next(trusted).body == .bytes([1]))
        }
    }

    @Test func refusesDowngradeToHTTP() throws {
        let start = "https://a.example/"
        var policy = RedirectPolicy()
        policy.trustedOrigins = [try HTTPURL(parsing: "http://a.example/").origin]
        for policy in [.default, policy] {
            let decision = try decide(302, to: ["http://a.example/"], from: start, policy: policy)
            guard case .refuse(.redirectRefused, _) = decision else {
                Issue.record("followed")
                return
            }
        }
        policy.allowsInsecureTarget = true
        #expect(
            try next(decide(302, to: ["http://a.example/"], from: start, policy: policy)).url.scheme
                == .http)
    }
}
