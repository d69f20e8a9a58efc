// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A suite of the published cache tests.
struct SuiteGroup: Decodable, Sendable {
    var id: String
    var tests: [SuiteTest]

    /// Returns all suites of the corpus.
    static func all() throws -> [SuiteGroup] {
        let data = try SharedFiles.data("suites/http-cache/cache-tests-dev.json")
        return try JSONDecoder().decode([SuiteGroup].self, from: data)
    }
}

/// A published test: a sequence of requests to a new URL.
struct SuiteTest: Decodable, Sendable {
    enum Kind: String, Decodable {
        case required
        case optimal
        case check
    }

    var id: String
    var kind: Kind
    var dependencies: [String]?
    var requests: [SuiteRequest]

    private enum CodingKeys: String, CodingKey {
        case id, kind, requests
        case dependencies = "depends_on"
    }
}

/// A request, the response of the server, and the expected result.
struct SuiteRequest: Decodable, Sendable {
    enum ExpectedType: String, Decodable {
        case cached
        case notCached = "not_cached"
        case validatedByDate = "lm_validated"
        case validatedByTag = "etag_validated"

        var isValidated: Bool { self == .validatedByDate || self == .validatedByTag }
    }

    var method = "GET"
    var headers: [SuiteField]
    var body: String?
    var query: String?
    var filename: String?
    var hasRelativeDate: Bool
    var pausesAfter: Bool
    var isSetup: Bool
    var setupChecks: [String]
    var responseStatus: Int?
    var responseHeaders: [SuiteField]
    var responseBody: String?
    var responsePause: Int
    var disconnects: Bool
    var hasRelativeLocations: Bool
    var rfc850Names: [String]
    var cacheHint: String?
    var checksBody: Bool
    var expectedType: ExpectedType?
    var expectedMethod: String?
    /// The expected status, or `nil` for the default one.
    var expectedStatus: Int?
    var acceptsAnyStatus: Bool
    var expectedText: String?
    var expectsNoText: Bool
    var expectedRequestHeaders: [SuiteField]
    var missingRequestHeaders: [SuiteField]
    var expectedResponseHeaders: [SuiteField]
    var missingResponseHeaders: [SuiteField]

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        func value<Value: Decodable>(_ key: String, or standard: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: Key(key)) ?? standard
        }
        func isNull(_ key: String) throws -> Bool {
            values.contains(Key(key)) ? try values.decodeNil(forKey: Key(key)) : false
        }
        method = try value("request_method", or: "GET")
        headers = try value("request_headers", or: [])
        body = try value("request_body", or: nil)
        query = try value("query_arg", or: nil)
        filename = try value("filename", or: nil)
        hasRelativeDate = try value("magic_ims", or: false)
        pausesAfter = try value("pause_after", or: false)
        isSetup = try value("setup", or: false)
        setupChecks = try value("setup_tests", or: [])
        if values.contains(Key("response_status")) {
            var status = try values.nestedUnkeyedContainer(forKey: Key("response_status"))
            responseStatus = try status.decode(Int.self)
        }
        responseHeaders = try value("response_headers", or: [])
        responseBody = try value("response_body", or: nil)
        responsePause = try value("response_pause", or: 0)
        disconnects = try value("disconnect", or: false)
        hasRelativeLocations = try value("magic_locations", or: false)
        rfc850Names = try value("rfc850date", or: [])
        cacheHint = try value("cache", or: nil)
        checksBody = try value("check_body", or: true)
        expectedType = try value("expected_type", or: nil)
        expectedMethod = try value("expected_method", or: nil)
        expectedStatus = try value("expected_status", or: nil)
        acceptsAnyStatus = try isNull("expected_status")
        expectedText = try value("expected_response_text", or: nil)
        expectsNoText = try isNull("expected_response_text")
        expectedRequestHeaders = try value("expected_request_headers", or: [])
        missingRequestHeaders = try value("expected_request_headers_missing", or: [])
        expectedResponseHeaders = try value("expected_response_headers", or: [])
        missingResponseHeaders = try value("expected_response_headers_missing", or: [])
    }
}

/// A field in a test definition: a name, a name with a value, or a name with a comparison.
struct SuiteField: Decodable, Sendable {
    enum Value: Sendable {
        case text(String)
        case number(Int)
    }

    var name: String
    var value: Value?
    var comparison: String?
    /// A Boolean value that indicates whether the field is recorded as sent.
    var isNoted = true

    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            self.name = name
            return
        }
        var parts = try decoder.unkeyedContainer()
        name = try parts.decode(String.self)
        value = try Self.value(&parts)
        if parts.isAtEnd { return }
        if let isNoted = try? parts.decode(Bool.self) {
            self.isNoted = isNoted
        } else {
            if case .text(let text) = value { comparison = text }
            value = try Self.value(&parts)
        }
    }

    private static func value(_ parts: inout any UnkeyedDecodingContainer) throws -> Value? {
        if parts.isAtEnd { return nil }
        if let number = try? parts.decode(Int.self) { return .number(number) }
        return .text(try parts.decode(String.self))
    }
}
