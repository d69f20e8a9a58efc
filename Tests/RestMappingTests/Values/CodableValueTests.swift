// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct CodableValueTests {
    struct Settings: Codable, Hashable {
        var theme: String
        var sizes: [Int]
    }

    private let text = #"{"value":{"theme":"dark","sizes":[1,2]}}"#
    private let settings = Settings(theme: "dark", sizes: [1, 2])

    @Test func aPropertyIsDecodedAndEncodedByItsType() throws {
        let holders = try map(Holder<CodableValue<Settings>>.self, text)
        #expect(holders.first?.value?.value == settings)
        let written = try json(ofValue: CodableValue(settings))
        #expect(try Document(parsing: written) == Document(parsing: text))
    }

    @Test func whatTheTypeDoesNotAcceptIsAnIssueWithThePathInside() throws {
        var report = MappingReport()
        let wrong = #"{"value":{"theme":"dark","sizes":[1,"x"]}}"#
        let holders = try map(Holder<CodableValue<Settings>>.self, wrong, report: &report)
        #expect(holders.first?.value == nil)
        #expect(report.issues.map(\.path) == ["value"])
        #expect(report.issues.first?.expected.contains("value.sizes[1]") == true)
    }

    @Test func aCodableTypeIsAWholeMapping() throws {
        let mapping = CodableMapping(Settings.self)
        let list = try Document(
            parsing: #"[{"theme":"dark","sizes":[1,2]},{"theme":"a","sizes":[]}]"#)
        #expect(
            try mapping.objects(from: list.root) == [settings, Settings(theme: "a", sizes: [])])
        #expect(try mapping.document(of: settings) == ["theme": "dark", "sizes": [1, 2]])
        #expect(
            try Document(parsing: mapping.bytes(of: settings)) == mapping.document(of: settings))
        let wrong = try Document(
            parsing: #"[{"theme":"dark","sizes":[1,2]},{"theme":1,"sizes":[]}]"#)
        let error = #expect(throws: MappingError.self) { try mapping.objects(from: wrong.root) }
        #expect(error?.path == "[1].theme")
        let notFinite = #expect(throws: MappingError.self) {
            try CodableMapping([String: Double].self).bytes(of: ["a": .nan])
        }
        #expect(notFinite?.path == "a")
    }
}
