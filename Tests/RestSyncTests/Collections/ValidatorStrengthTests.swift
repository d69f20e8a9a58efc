// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Times of modification, which two states of a list within one second share.
@Suite(.tags(.socket)) struct ValidatorStrengthTests {
    /// The numbers of objects on the second page, which a test changes.
    private final class Page: Sendable {
        let ids = Mutex([2, 3])
    }

    private static let modified = "Tue, 15 Nov 1994 12:45:26 GMT"

    /// Returns a page whose time of modification never changes.
    private static func answer(
        _ request: LoopbackRequest, _ page: Page, date: String?
    ) -> LoopbackResponse {
        var headers = [("Last-Modified", modified)]
        if let date { headers.append(("Date", date)) }
        if request.query.isEmpty { headers.append(("Link", "</humans?page=1>; rel=\"next\"")) }
        if request.headers["if-modified-since"] == modified {
            return LoopbackResponse(status: 304, headers: headers)
        }
        let ids = request.query.isEmpty ? [1] : page.ids.withLock(\.self)
        let items = ids.map { #"{"id":\#($0),"name":"\#($0)"}"# }.joined(separator: ",")
        return .json("[\(items)]", headers: headers)
    }

    /// The times of responses, the seconds that have passed since the modification by the clock of the
    /// client, and whether the time of modification is a strong validator.
    private static let times: [(date: String?, seconds: Double, isStrong: Bool)] = [
        ("Tue, 15 Nov 1994 12:45:26 GMT", 3_600, false),
        ("Tue, 15 Nov 1994 12:45:27 GMT", 0, true), (nil, 59, false), (nil, 60, true),
        ("not a date", 59, false),
    ]

    @Test(.threat("T54"), arguments: times.indices)
    func onlyStrongTimeProvesDeletion(_ index: Int) async throws {
        let (date, seconds, isStrong) = Self.times[index]
        let page = Page()
        try await HumanFixture.run({ Self.answer($0, page, date: date) }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let modified = try #require(HTTPDate.parse(Self.modified))
            fixture.api.configure {
                $0.client.clock = ManualClock(date: modified.addingTimeInterval(seconds))
            }
            let policy = OrphanPolicy.delete(maximumShare: 0.5)
            _ = try await fixture.pages(policy).fetchAll()
            page.ids.withLock { $0 = [2] }
            let walk = try await fixture.pages(policy).fetchAll()
            #expect(walk.incompletenessReasons == (isStrong ? [] : [.missingValidator]))
            #expect(try fixture.stored() == (isStrong ? [1, 2] : [1, 2, 3]))
            // A page that may have changed within the second is requested in full.
            page.ids.withLock { $0 = [2, 4] }
            let count = fixture.server.requests.count
            _ = try await fixture.pages(.keep).fetchAll()
            let first = fixture.server.requests[count]
            #expect((first.headers["if-modified-since"] != nil) == isStrong)
        }
    }

    @Test(arguments: times.indices) func onlyStrongTimeValidatesList(_ index: Int) async throws {
        let (date, seconds, isStrong) = Self.times[index]
        let page = Page()
        try await HumanFixture.run({ Self.answer($0, page, date: date) }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let modified = try #require(HTTPDate.parse(Self.modified))
            fixture.api.configure {
                $0.client.clock = ManualClock(date: modified.addingTimeInterval(seconds))
            }
            try await fixture.load(at: "humans?page=1")
            page.ids.withLock { $0 = [2, 4] }
            let result = try await fixture.load(at: "humans?page=1")
            #expect((result.origin == .notModified) == isStrong)
            #expect(try fixture.stored() == (isStrong ? [2, 3] : [2, 3, 4]))
        }
    }

    /// A weak tag is as strong as the server that sends it, which usually computes it from the body.
    @Test func weakTagProvesDeletion() async throws {
        let page = Page()
        try await HumanFixture.run({ request in
            let ids = request.query.isEmpty ? [1] : page.ids.withLock(\.self)
            var headers = [("ETag", "W/\"\(ids)\"")]
            if request.query.isEmpty { headers.append(("Link", "</humans?page=1>; rel=\"next\"")) }
            if request.headers["if-none-match"] == headers[0].1 {
                return LoopbackResponse(status: 304, headers: headers)
            }
            let items = ids.map { #"{"id":\#($0),"name":"\#($0)"}"# }.joined(separator: ",")
            return .json("[\(items)]", headers: headers)
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let policy = OrphanPolicy.delete(maximumShare: 0.5)
            _ = try await fixture.pages(policy).fetchAll()
            page.ids.withLock { $0 = [2] }
            let walk = try await fixture.pages(policy).fetchAll()
            #expect(walk.incompletenessReasons.isEmpty && walk.orphanIDs.count == 1)
        }
    }
}
