// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ValueTransformTests {
    @Test func replacesConversionOfType() throws {
        let mapping = ObjectMapping(for: Holder<URL>.self) {
            attribute(
                "value", to: \.value,
                using: ValueTransform("test URL") { node in
                    node.string.flatMap { URL(string: $0)?.appending(path: "test") }
                })
        }
        let found = try map(Holder<URL>.self, #"{"value":"http://a.b/c"}"#, with: mapping)
        #expect(found.first?.value == URL(string: "http://a.b/c/test"))
        let ofOneType = ObjectMapping(for: Holder<String>.self) {
            attribute(
                "value", to: \.value,
                using: ValueTransform("test text") { ($0.string ?? "") + "/test" })
        }
        let text = try map(Holder<String>.self, #"{"value":"http://a.b/c"}"#, with: ofOneType)
        #expect(text.first?.value == "http://a.b/c/test")
    }

    @Test func recordsIssueWhenTransformThrows() throws {
        struct Refusal: Error {}
        let mapping = ObjectMapping(for: Holder<Int>.self) {
            attribute("value", to: \.value, using: ValueTransform("picky") { _ in throw Refusal() })
        }
        var report = MappingReport()
        let found = try map(Holder<Int>.self, #"{"value":1}"#, with: mapping, report: &report)
        #expect(found.first?.value == nil)
        #expect(report.issues.map(\.code) == [.transformFailed])
        #expect(report.issues.first?.description.contains("picky") == true)
    }

    @Test func mapsUnknownRawValueToFallbackOfAttribute() throws {
        let mapping = ObjectMapping(for: Holder<Mood>.self) {
            attribute("value", to: \.value, using: .unknown(as: .grumpy))
        }
        var report = MappingReport()
        let json = #"[{"value":"sleepy"},{"value":"cheerful"},{"value":null},{"value":[]}]"#
        let found = try map(Holder<Mood>.self, json, with: mapping, report: &report)
        #expect(found.map(\.value) == [.grumpy, .cheerful, nil, nil])
        #expect(report.coercions == [.unknownToFallback: 1])
        #expect(report.issues.map(\.path) == ["[3].value"])
    }
}
