// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The format of dates in bodies, queries and paths.
@Suite struct ObjectManagerDateFormatTests {
    private struct Event: Mapped {
        var at: Date

        struct Draft: MappingDraft {
            private var at: Date?

            init() {}

            init(editing subject: Event) { at = subject.at }

            mutating func assign(
                _ property: Int, from source: ValueSource
            ) throws(MappingFailure) {
                try source.assign(&at)
            }

            consuming func finish() throws(MappingFailure) -> Event {
                guard let at else { throw .missing(property: 0) }
                return Event(at: at)
            }
        }

        func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
            try writer.write(at)
        }

        static let properties = PropertyTable(
            Event.self, [Property("at", \Event.at, Date.self, isRequired: true)])
    }

    private let event = Event(at: Date(timeIntervalSince1970: 1.25))

    private func manager(_ format: DateFormat?) throws -> ObjectManager {
        var client = try HTTPClient(
            baseURL: "http://test.com", transport: StubTransport { .stub(.noContent, to: $0) })
        client.parameterMediaType = "application/json"
        let api = ObjectManager(client: client)
        if let format { api.dateFormat = format }
        return api
    }

    private func body(_ request: TransportRequest) -> String? {
        request.body.bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            (nil, #""1970-01-01T00:00:01.25Z""#), (.iso8601InSeconds, #""1970-01-01T00:00:01Z""#),
            (.milliseconds, "1250"), (.monthDayYear, #""01/01/1970""#),
        ] as [(DateFormat?, String)])
    func writesDatesInFormatOfManager(format: DateFormat?, text: String) throws {
        let api = try manager(format)
        let plain = text.replacing("\"", with: "")
        #expect(
            body(try api.request(for: event, method: .post, path: "events"))
                == #"{"at":\#(text)}"#)
        #expect(
            body(try api.request(for: [event], method: .post, path: "events"))
                == #"[{"at":\#(text)}]"#)
        let parameters: RequestParameters = [
            "since": event.at, "n": 1, "all": [event.at], "event": event,
            "inner": ["at": event.at] as RequestParameters,
        ]
        #expect(
            body(try api.request(.post, at: "events", parameters: parameters)) == """
                {"since":\(text),"n":1,"all":[\(text)],"event":{"at":\(text)},\
                "inner":{"at":\(text)}}
                """)
        let query = try api.request(.get, at: "events", parameters: ["since": event.at])
        #expect(query.url.text.removingPercentEncoding == "http://test.com/events?since=\(plain)")
        try api.add(Route(Event.self, "events/:at", methods: .get))
        let routed = try api.request(for: event, method: .get)
        #expect(routed.url.text.removingPercentEncoding == "http://test.com/events/\(plain)")
    }

    @Test func prefersFormatOfDescriptor() throws {
        let api = try manager(.milliseconds)
        var mapping = RequestMapping(for: Event.self)
        mapping.dates = .seconds
        try api.add(RequestDescriptor(mapping))
        #expect(
            body(try api.request(for: event, method: .post, path: "events")) == #"{"at":1.25}"#)
    }

    @Test func sendsChangeWithinSecond() async throws {
        let log = StubTransport { .stub(.noContent, to: $0) }
        let api = ObjectManager(client: try HTTPClient(baseURL: "http://test.com", transport: log))
        _ = try await api.patch(
            Event(at: Date(timeIntervalSince1970: 1.5)), changesSince: event, at: "events/1")
        #expect(log.requests.compactMap(body) == [#"{"at":"1970-01-01T00:00:01.5Z"}"#])
    }
}
