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

    /// An event with functions that write it, one of them declared by the type.
    private struct Meeting: ObjectMappable {
        var start: Date

        static let elementToPropertyMappings: [SourcePath: String] = ["from": "start"]
        static let elementToRelationshipMappings: [SourcePath: String] = [:]
        static let relationshipsToSerialize: [String] = []

        struct Draft: MappingDraft {
            private var start = Date(timeIntervalSince1970: 0)

            init() {}

            init(editing subject: Meeting) { start = subject.start }

            mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
                start = try Date.map(from: source)
            }

            consuming func finish() throws(MappingFailure) -> Meeting { Meeting(start: start) }
        }

        func relationshipsForSerialization(dates: DateFormat) throws(MappingError) -> Document {
            try .object([("ends", Document(representing: start + 1, dates: dates))])
        }

        func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
            try writer.write(start)
        }

        static let properties = PropertyTable(
            Meeting.self, [Property("start", \Meeting.start, Date.self, isRequired: true)])
    }

    private let event = Event(at: Date(timeIntervalSince1970: 1.25))

    private func manager(_ format: DateFormat?) throws -> ObjectManager {
        var client = try HTTPClient(
            baseURL: "http://test.com", transport: StubTransport { .stub(.noContent, to: $0) })
        client.parameterMediaType = "application/json"
        let api = ObjectManager(client: client)
        if let format { api.configure { $0.dateFormat = format } }
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
            body(try api.request(for: event, method: .post, at: "events"))
                == #"{"at":\#(text)}"#)
        #expect(
            body(try api.request(for: [event], method: .post, at: "events"))
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

    /// A type that encodes itself, with dates at several depths.
    private struct Trip: MappableCodable {
        struct Stop: Codable {
            var at: Date
            var name: String
        }

        var leftAt: Date
        var stops: [Stop]
        var byName: [String: Date]
    }

    private var trip: Trip {
        Trip(
            leftAt: event.at, stops: [Trip.Stop(at: event.at + 1, name: "1970-01-01T00:00:01.25Z")],
            byName: ["a": event.at])
    }

    @Test(
        arguments: [
            (nil, #""1970-01-01T00:00:01.25Z""#, #""1970-01-01T00:00:02.25Z""#),
            (.seconds, "1.25", "2.25"), (.monthDayYear, #""01/01/1970""#, #""01/01/1970""#),
        ] as [(DateFormat?, String, String)])
    func writesEncodableValueInFormatOfManager(
        format: DateFormat?, first: String, second: String
    ) throws {
        let api = try manager(format)
        let text = """
            {"leftAt":\(first),"stops":[{"at":\(second),"name":"1970-01-01T00:00:01.25Z"}],\
            "byName":{"a":\(first)}}
            """
        let sent = try api.request(
            for: RequestObject(encoding: trip), method: .post, at: "trips")
        #expect(body(sent) == text)
        let list = try api.request(
            for: RequestObject(encoding: [trip]), method: .post, at: "trips")
        #expect(body(list) == "[\(text)]")
        let parameters: RequestParameters = ["trip": trip, "all": [trip], "since": event.at]
        #expect(
            body(try api.request(.post, at: "trips", parameters: parameters))
                == #"{"trip":\#(text),"all":[\#(text)],"since":\#(first)}"#)
        let query = try api.request(.get, at: "trips", parameters: ["trip": trip])
        let plain = first.replacing("\"", with: "")
        #expect(query.url.text.removingPercentEncoding?.contains("trip[leftAt]=\(plain)&") == true)
        try api.add(Route(named: "trip", "trips/:leftAt", methods: .get))
        let path = try api.router.path(named: "trip", object: trip)
        let url = try api.router.url(for: path)
        #expect(url.text.removingPercentEncoding == "http://test.com/trips/\(plain)")
    }

    @Test func prefersDateStrategyOfEncoder() throws {
        let api = try manager(.milliseconds)
        api.configure { $0.encoder.keyEncodingStrategy = .convertToSnakeCase }
        let stop = Trip.Stop(at: event.at, name: "x")
        let content = RequestObject(encoding: ["lastStop": stop])
        #expect(
            body(try api.request(for: content, method: .post, at: "stops"))
                == #"{"lastStop":{"at":1250,"name":"x"}}"#)
        api.configure { $0.encoder.dateEncodingStrategy = .iso8601 }
        let text = "1970-01-01T00:00:01.25Z"
        #expect(
            body(try api.request(for: content, method: .post, at: "stops"))
                == #"{"lastStop":{"at":"\#(text)","name":"x"}}"#)
        try api.add(Route(named: "stop", "stops/:at", methods: .get))
        let url = try api.router.url(for: api.router.path(named: "stop", object: stop))
        #expect(url.text.removingPercentEncoding == "http://test.com/stops/\(text)")
    }

    @Test func failsWithPathOfEncodedDateWithoutText() throws {
        let api = try manager(.monthDayYear)
        let far = Trip.Stop(at: Date(timeIntervalSince1970: 1e12), name: "x")
        let error = #expect(throws: NetworkingError.self) {
            try api.request(
                for: RequestObject(encoding: ["a": [far]]), method: .post, at: "a")
        }
        #expect(error?.path == "a[0].at")
    }

    @Test func writesMappableTypeInFormatOfManager() throws {
        let api = try manager(.milliseconds)
        let meeting = Meeting(start: event.at)
        let text = #"{"from":1250,"ends":2250}"#
        #expect(body(try api.request(for: meeting, method: .post, at: "meetings")) == text)
        #expect(
            body(try api.request(for: [meeting], method: .post, at: "meetings")) == "[\(text)]")
        let parameters: RequestParameters = ["meeting": meeting, "all": [meeting]]
        #expect(
            body(try api.request(.post, at: "meetings", parameters: parameters))
                == #"{"meeting":{"from":1250},"all":[{"from":1250}]}"#)
        let query = try api.request(.get, at: "meetings", parameters: RequestParameters(meeting))
        #expect(query.url.query == "from=1250")
    }

    /// The dates of a document that was written are found again, whatever is around them.
    @Test func findsDatesBetweenOtherValues() throws {
        let api = try manager(.seconds)
        let iso = "1970-01-01T00:00:01.25Z"
        let inner: RequestParameters = ["\n\(iso)": iso, "at": event.at, "none": nil]
        let parameters: RequestParameters = [
            "text": iso, "day": event.at, "day": "x", "day": event.at,
            "by": ["a\"": event.at, iso: event.at + 1], "inner": [inner, inner],
            "document": Document.object([("at", .string(iso))]), "last": [event.at, nil],
        ]
        let sent = try Document(
            parsing: #require(body(try api.request(.post, at: "a", parameters: parameters))))
        let expectedInner: Document = ["\n\(iso)": .string(iso), "at": 1.25, "none": nil]
        #expect(
            sent == [
                "text": .string(iso), "day": [1.25, "x", 1.25],
                "by": ["a\"": 1.25, "1970-01-01T00:00:01.25Z": 2.25],
                "inner": [expectedInner, expectedInner], "document": ["at": .string(iso)],
                "last": [1.25, nil],
            ])
    }

    @Test func failsWithPathOfDateWithoutText() throws {
        let api = try manager(.iso8601)
        let date = Date(timeIntervalSince1970: 1e12)
        let dates: [String: [Date]] = ["b": [event.at, date]]
        let events: [String: [Event?]] = ["b": [nil, Event(at: date)]]
        for far: RequestParameters in [["a": dates], ["a": events]] {
            let error = #expect(throws: NetworkingError.self) {
                try api.request(.post, at: "a", parameters: far)
            }
            #expect(error?.path?.description.hasPrefix("a.b[1]") == true)
        }
    }

    @Test func prefersFormatOfDescriptor() throws {
        let api = try manager(.milliseconds)
        var mapping = RequestMapping(for: Event.self)
        mapping.dates = .seconds
        try api.add(RequestDescriptor(mapping))
        #expect(
            body(try api.request(for: event, method: .post, at: "events")) == #"{"at":1.25}"#)
    }

    @Test func sendsChangeWithinSecond() async throws {
        let log = StubTransport { .stub(.noContent, to: $0) }
        let api = ObjectManager(client: try HTTPClient(baseURL: "http://test.com", transport: log))
        _ = try await api.patch(
            Event(at: Date(timeIntervalSince1970: 1.5)), changesSince: event, at: "events/1")
        #expect(log.requests.compactMap(body) == [#"{"at":"1970-01-01T00:00:01.5Z"}"#])
    }
}
