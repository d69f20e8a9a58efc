// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import TestSupport
import Testing

/// Published test tables of URLs.
@Suite(.tags(.specification), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct HTTPURLSuiteTests {
    private struct BrowserCase: Decodable {
        var input: String
        var base: String?
        var hostname: String?
        var failure: Bool?
    }

    private struct References: Decodable {
        var base: String
        var normal: [[String]]
        var abnormal: [[String]]
    }

    @Test func resolvesReferencesAsRFC3986Specifies() throws {
        let data = try SharedFiles.data("suites/url/rfc3986-section-5.4.json")
        let references = try JSONDecoder().decode(References.self, from: data)
        let base = try HTTPURL(parsing: references.base)
        for pair in references.normal + references.abnormal {
            let isOfAnotherKind = !pair[1].hasPrefix("http://")
            let resolved = try? base.resolving(pair[0])
            #expect(resolved?.text == (isOfAnotherKind ? nil : pair[1]), "\(pair[0])")
        }
    }

    @Test(.threat("T37")) func readsTheSameHostAsBrowsers() throws {
        let data = try SharedFiles.data("suites/url/urltestdata-dev.json")
        let entries = try JSONDecoder().decode([BrowserCase].self, from: data)
        var acceptedCount = 0
        for entry in entries {
            guard let url = try? Self.accept(entry) else { continue }
            acceptedCount += 1
            // An entry that fails in browsers has no host to compare with.
            guard let hostname = entry.hostname else { continue }
            #expect(url.host == hostname.lowercased(), "\(entry.input) at \(entry.base ?? "-")")
        }
        #expect(entries.count > 400)
        #expect(acceptedCount > 50)
    }

    private static func accept(_ entry: BrowserCase) throws -> HTTPURL {
        guard let base = entry.base, base != "about:blank" else {
            return try HTTPURL(parsing: entry.input)
        }
        return try HTTPURL(parsing: base).resolving(entry.input)
    }
}
