// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

@Suite struct CodingStrategyTests {
    struct Moment: Codable, Equatable { var at: Date }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-05-01T12:00:00Z", 1_714_564_800),
            ("2024-05-01T12:00:00.25Z", 1_714_564_800.25),
            ("2024-05-01T12:00:00.123456Z", 1_714_564_800.123456),
            ("1969-12-31T23:59:59.5Z", -0.5), ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2000-02-29T23:59:59Z", 951_868_799), ("1900-03-01T00:00:00Z", -2_203_891_200),
        ])
    func writesDatesInInternetFormat(_ text: String, _ seconds: Double) throws {
        let moment = Moment(at: Date(timeIntervalSince1970: seconds))
        let bytes = try DocumentEncoder().bytes(of: moment)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"at":"\#(text)"}"#)
        let back = try DocumentDecoder().decode(Moment.self, from: bytes)
        #expect(abs(back.at.timeIntervalSince(moment.at)) < 0.000_001)
    }

    @Test(
        arguments: [
            "2024-05-01T14:00:00+02:00", "2024-05-01 12:00:00", "2024-05-01T12:00Z",
            "Wed, 01 May 2024 12:00:00 GMT", "2024-05-01T12:00:00.000Z",
            #"2024\u002d05-01T12:00:00Z"#,
        ])
    func readsDatesInSeveralFormats(_ text: String) throws {
        let bytes = Array(#"{"at":"\#(text)"}"#.utf8)
        let moment = try DocumentDecoder().decode(Moment.self, from: bytes)
        #expect(moment.at == Date(timeIntervalSince1970: 1_714_564_800))
    }

    @Test func rejectsDatesOutsideFormat() {
        // Without the macro, which describes the error: Foundation traps on such dates.
        for seconds in [253_402_300_800, -62_167_219_201, .infinity, .nan] as [Double] {
            do {
                _ = try DocumentEncoder().encode(Moment(at: Date(timeIntervalSince1970: seconds)))
                Issue.record("\(seconds) has no form")
            } catch {
                #expect(error.code == .notEncodable)
                #expect(error.path.description == "at")
            }
        }
    }

    @Test func matchesDateStrategiesOfFoundation() throws {
        let moment = Moment(at: Date(timeIntervalSince1970: 1_714_564_800.5))
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        var (ourEncoder, ourDecoder) = (DocumentEncoder(), DocumentDecoder())
        func compareWithFoundation() throws {
            let bytes = try ourEncoder.bytes(of: moment)
            #expect(try Document(parsing: bytes) == Document(parsing: encoder.encode(moment)))
            #expect(try ourDecoder.decode(Moment.self, from: bytes) == moment)
            #expect(try decoder.decode(Moment.self, from: Data(bytes)) == moment)
        }
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        ourEncoder.dateEncodingStrategy = .secondsSince1970
        ourDecoder.dateDecodingStrategy = .secondsSince1970
        try compareWithFoundation()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        decoder.dateDecodingStrategy = .millisecondsSince1970
        ourEncoder.dateEncodingStrategy = .millisecondsSince1970
        ourDecoder.dateDecodingStrategy = .millisecondsSince1970
        try compareWithFoundation()
        encoder.dateEncodingStrategy = .deferredToDate
        decoder.dateDecodingStrategy = .deferredToDate
        ourEncoder.dateEncodingStrategy = .deferredToDate
        ourDecoder.dateDecodingStrategy = .deferredToDate
        try compareWithFoundation()
        let encode: @Sendable (Date, any Encoder) throws -> Void = { date, encoder in
            var container = encoder.unkeyedContainer()
            try container.encode("at")
            try container.encode(date.timeIntervalSince1970)
        }
        let decode: @Sendable (any Decoder) throws -> Date = { decoder in
            var container = try decoder.unkeyedContainer()
            _ = try container.decode(String.self)
            return Date(timeIntervalSince1970: try container.decode(Double.self))
        }
        encoder.dateEncodingStrategy = .custom(encode)
        decoder.dateDecodingStrategy = .custom(decode)
        ourEncoder.dateEncodingStrategy = .custom(encode)
        ourDecoder.dateDecodingStrategy = .custom(decode)
        try compareWithFoundation()
        let error = #expect(throws: DocumentError.self) {
            try ourDecoder.decode(Moment.self, from: Array(#"{"at":["at",true]}"#.utf8))
        }
        #expect(error?.path.description == "at[1]")
    }

    @Test func matchesDataStrategiesOfFoundation() throws {
        let data = ["d": Data([1, 2, 255])]
        var (encoder, decoder) = (DocumentEncoder(), DocumentDecoder())
        encoder.dataEncodingStrategy = .deferredToData
        decoder.dataDecodingStrategy = .deferredToData
        #expect(try encoder.encode(data).root.debugDescription == #"{"d":[1,2,255]}"#)
        #expect(try decoder.decode([String: Data].self, from: encoder.encode(data)) == data)
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        decoder.dataDecodingStrategy = .custom { decoder in
            Data(count: try decoder.singleValueContainer().decode(Int.self))
        }
        #expect(try encoder.encode(data).root.debugDescription == #"{"d":3}"#)
        #expect(
            try decoder.decode([String: Data].self, from: encoder.encode(data))["d"]?.count == 3)
    }

    @Test func codesInfinitiesAsStrings() throws {
        let values = [1.5, .infinity, -.infinity, .nan]
        var (encoder, decoder) = (DocumentEncoder(), DocumentDecoder())
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let document = try encoder.encode(["doubles": values])
        #expect(document.root.debugDescription == #"{"doubles":[1.5,"+","-","?"]}"#)
        let back = try decoder.decode([String: [Double]].self, from: document)["doubles"] ?? []
        #expect(back.map(\.description) == values.map(\.description))
        let floats = try decoder.decode([String: [Float]].self, from: document)["doubles"] ?? []
        #expect(floats.map(\.description) == values.map { Float($0).description })
        #expect(throws: DocumentError.self) {
            try decoder.decode([Double].self, from: Array(#"["infinity"]"#.utf8))
        }
    }

    struct Named: Codable, Equatable {
        var someKey: Int
        var otherURL: [String: Int]
        var id: Int?
    }

    @Test func convertsKeysExceptThoseOfDictionaries() throws {
        var (encoder, decoder) = (DocumentEncoder(), DocumentDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let named = Named(someKey: 1, otherURL: ["aB": 2], id: nil)
        let text = try encoder.encode(named).root.debugDescription
        #expect(text == #"{"some_key":1,"other_url":{"aB":2}}"#)
        decoder.keyDecodingStrategy = .custom { ["sk": "someKey", "u": "otherURL"][$0] ?? $0 }
        encoder.keyEncodingStrategy = .custom { ["someKey": "sk", "otherURL": "u"][$0] ?? $0 }
        let short = try encoder.encode(named)
        #expect(short.root.debugDescription == #"{"sk":1,"u":{"aB":2}}"#)
        #expect(try decoder.decode(Named.self, from: short) == named)
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let error = #expect(throws: DocumentError.self) {
            try decoder.decode([Named].self, from: Array(#"[{"some_key":"x"}]"#.utf8))
        }
        #expect(error?.path.description == "[0].some_key")
    }

    @Test func usesLastOfRepeatedKeys() throws {
        let decoder = DocumentDecoder()
        struct Two: Codable, Equatable {
            var a: Int
            var b: Int
        }
        for text in [
            #"{"a":1,"b":2,"a":3}"#, #"{"b":0,"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":3,"b":2}"#,
            #"{"a":1,"b":2,"c":[{}],"a":3,"d":0}"#,
        ] {
            #expect(
                try decoder.decode(Two.self, from: Array(text.utf8)) == Two(a: 3, b: 2), "\(text)")
            #expect(
                try decoder.decode([String: Int?].self, from: Array(#"{"a":1,"a":3}"#.utf8)) == [
                    "a": 3
                ])
        }
        var snake = DocumentDecoder()
        snake.keyDecodingStrategy = .convertFromSnakeCase
        let named = try snake.decode(
            Named.self, from: Array(#"{"some_key":1,"otherURL":{},"someKey":5}"#.utf8))
        #expect(named.someKey == 5)
    }

    @Test func findsMembersOfLargeObjects() throws {
        struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Backwards: Decodable {
            var sum = 0
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                // A linear search for each member would take minutes.
                for key in container.allKeys.reversed() {
                    sum += try container.decode(Int.self, forKey: key)
                    if container.contains(AnyKey(stringValue: key.stringValue + "x")) { sum = -1 }
                }
            }
        }
        for count in [0, 1, 63, 64, 65, 100_000] {
            let members = (0..<count).map { #""k\#($0)":1"# }.joined(separator: ",")
            let document = try Document(parsing: "{\(members)}", limits: .none)
            #expect(try DocumentDecoder().decode(Backwards.self, from: document).sum == count)
        }
    }

    @Test func passesUserInfo() throws {
        struct Reader: Codable {
            init() {}
            init(from decoder: any Decoder) throws {
                let key = try #require(CodingUserInfoKey(rawValue: "k"))
                #expect(decoder.userInfo[key] as? Int == 7)
            }
            func encode(to encoder: any Encoder) throws {
                let key = try #require(CodingUserInfoKey(rawValue: "k"))
                #expect(encoder.userInfo[key] as? Int == 7)
            }
        }
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        var (encoder, decoder) = (DocumentEncoder(), DocumentDecoder())
        encoder.userInfo = [key: 7]
        decoder.userInfo = [key: 7]
        _ = try decoder.decode([Reader].self, from: encoder.encode([Reader()]))
    }

    @Test func formatsText() throws {
        var encoder = DocumentEncoder()
        encoder.writer = JSONWriter(layout: .pretty(indentation: 1), sortsKeys: true)
        let text = String(decoding: try encoder.bytes(of: ["b": 1, "a": 2]), as: UTF8.self)
        #expect(text == "{\n \"a\": 2,\n \"b\": 1\n}")
    }
}
