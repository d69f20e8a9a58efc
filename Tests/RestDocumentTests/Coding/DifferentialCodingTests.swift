// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// A comparison with the coders of Foundation for the same types and bytes.
@Suite struct DifferentialCodingTests {
    @Test func matchesFoundationForGraph() throws {
        try compareWithFoundation(Shop.sample)
        try compareWithFoundation([Shop.sample, Shop.sample])
        try compareWithFoundation(["a": Shop.sample])
        try compareWithFoundation(Cashier(name: "Cy", till: 4))
    }

    @Test func matchesFoundationForSingleValues() throws {
        try compareWithFoundation(42)
        try compareWithFoundation("text")
        try compareWithFoundation([Int]())
        try compareWithFoundation([String: [Bool]]())
        try compareWithFoundation(Product.other)
        try compareWithFoundation(Tree.branch([.leaf(3)]))
        try compareWithFoundation([[[1.5, 2.0], []], []])
        try compareWithFoundation(Int?.none)
    }

    @Test(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func matchesFoundationForCorpus() throws {
        try compareWithFoundation(Twitter.Search.self, "corpus/twitter.json", convertsKeys: true)
        try compareWithFoundation(
            [GitHub.Event].self, "corpus/github_events.json", convertsKeys: true)
        try compareWithFoundation(
            Catalog.Root.self, "corpus/citm_catalog.json", convertsKeys: false)
        try compareWithFoundation(
            GeoJSON.Collection.self, "corpus/canada.json", convertsKeys: false)
    }

    private func compareWithFoundation<Value: Codable & Equatable>(_ value: Value) throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        let theirs = try encoder.encode(value)
        let ours = try DocumentEncoder().bytes(of: value)
        #expect(try DocumentDecoder().decode(Value.self, from: theirs) == value)
        #expect(try DocumentDecoder().decode(Value.self, from: ours) == value)
        #expect(try decoder.decode(Value.self, from: Data(ours)) == value)
        #expect(try Document(parsing: ours) == Document(parsing: theirs))
        #expect(try DocumentEncoder().encode(value) == Document(parsing: theirs))
    }

    private func compareWithFoundation<Root: Codable & Equatable>(
        _ type: Root.Type, _ file: String, convertsKeys: Bool
    ) throws {
        let data = try SharedFiles.data(file)
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        var (ourEncoder, ourDecoder) = (DocumentEncoder(), DocumentDecoder())
        if convertsKeys {
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            ourEncoder.keyEncodingStrategy = .convertToSnakeCase
            ourDecoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let value = try decoder.decode(type, from: data)
        #expect(try ourDecoder.decode(type, from: data) == value)
        let ours = try ourEncoder.bytes(of: value)
        #expect(try decoder.decode(type, from: Data(ours)) == value)
        #expect(try Document(parsing: ours) == Document(parsing: encoder.encode(value)))
        let custom = KeyDictionary()
        ourDecoder.keyDecodingStrategy = .custom { custom.camelCase($0) }
        if convertsKeys { #expect(try ourDecoder.decode(type, from: ours) == value) }
    }

    /// A second, simple implementation of the conversion.
    private struct KeyDictionary {
        func camelCase(_ key: String) -> String {
            let words = key.split(separator: "_")
            return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.capitalized }
        }
    }

    @Test func matchesFoundationForSnakeCaseKeys() throws {
        struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Keys: Codable {
            var keys: [String]
            init(keys: [String]) { self.keys = keys }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                keys = container.allKeys.map(\.stringValue).sorted()
                for key in container.allKeys {
                    _ = try container.decode(Int.self, forKey: key)
                }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                for key in keys { try container.encode(1, forKey: AnyKey(stringValue: key)) }
            }
        }
        let written = [
            "a", "_", "__", "", "a_b", "_a_b", "a_b_", "__a__b__", "aB", "a_bC", "A_b", "foo_2bar",
            "foo_b3r_x", "URL", "my_url_key", "x1_2", "é_à", "foo__bar", "_foo", "foo_", "Foo_BAR",
            "_UP_down_", "a-b_c", "1_a",
        ]
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.keyEncodingStrategy = .convertToSnakeCase
        var (ourDecoder, ourEncoder) = (DocumentDecoder(), DocumentEncoder())
        ourDecoder.keyDecodingStrategy = .convertFromSnakeCase
        ourEncoder.keyEncodingStrategy = .convertToSnakeCase
        for key in written {
            let text = Data(try DocumentEncoder().bytes(of: [key: 1]))
            let theirs = try decoder.decode(Keys.self, from: text).keys
            #expect(try ourDecoder.decode(Keys.self, from: text).keys == theirs, "\(key)")
        }
        let camel = [
            "a", "", "aB", "myURLProperty", "myProperty", "URL", "urlID", "aBCd", "isÄhnlich",
            "x1Y2",
            "_a", "already_snake", "ABCdEF", "A", "AB", "aé", "Aé",
        ]
        for key in camel {
            let theirs = try Document(parsing: encoder.encode(Keys(keys: [key])))
            #expect(try ourEncoder.encode(Keys(keys: [key])) == theirs, "\(key)")
        }
    }
}
