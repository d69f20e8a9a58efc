// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import Testing

@testable import RestInference

@Suite struct BoundsTests {
    @Test func keepsNoMoreIdentitiesThanTheLimit() {
        var identity = IdentityStatistics(limit: 10)
        for value in 0..<1_000 {
            identity.observe(UInt64(value), .init(keys: 1, scalars: UInt64(value)))
        }
        #expect(identity.distinctCount == 10)
        #expect(identity.count == 1_000)
        var other = IdentityStatistics(limit: 10)
        for value in 500..<600 { other.observe(UInt64(value), .init(keys: 1, scalars: 1)) }
        identity.merge(other)
        #expect(identity.distinctCount == 10)
    }

    @Test func keepsNoMoreKeysThanTheLimit() throws {
        var objects = ObjectStatistics()
        for part in 0..<30 {
            let members = (0..<100).map { "\"k\(part * 100 + $0)\": \($0)" }.joined(separator: ",")
            let document = try Document(parsing: "{\(members)}")
            document.withView { objects.observe($0, depth: 0) }
        }
        #expect(objects.keys.count == 2_000)
        #expect(objects.isDictionary)
    }

    @Test func endsAtDeepObjects() throws {
        let depth = 200
        let text =
            String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        var inference = DefinitionInference()
        inference.observe(try Document(parsing: "[\(text)]"), from: "https://api.example.com/items")
        #expect(inference.result().definition.entities.count == 1)
    }

    @Test func keepsSamplesOfReferencesSmall() {
        var sample = ValueSample()
        for value in 0..<10_000 { sample.insert(UInt64(value)) }
        #expect(sample.values.count == ValueSample.limit)
    }
}
