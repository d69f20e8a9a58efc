// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct PlanExecutorTests {
    @Test(.parity("M212", "M215")) func mapsEveryPropertyOfNestedObjects() throws {
        let json = """
            {"friends":[{"id":2,"name":"Bo","address":{"city":"Oslo","zip":"0150"}},
            {"id":3,"name":"Cy"}],"id":"1","name":"Al","mood":"grumpy",
            "address":{"city":"Bergen"},"tags":["a","b","a"],"scores":{"chess":1200,"go":3.5},"unmapped":{"id":[1,2,{"x":1}]}}
            """
        let person = try #require(try map(Person.self, json).first)
        #expect(person.id == 1)
        #expect(person.name == "Al")
        #expect(person.mood == .grumpy)
        #expect(person.tags == ["a", "b"])
        #expect(person.scores == ["chess": 1200, "go": 3.5])
        #expect(person.friends.map(\.id) == [2, 3])
        #expect(person.address == Address(city: "Bergen", zip: nil))
        #expect(person.friends.first?.address == Address(city: "Oslo", zip: "0150"))
        #expect(person.friends.last?.address == nil)
    }

    @Test func mapsSelfReferencingTypeAtAnyDepth() throws {
        let depth = MappingLimits.depth - 1
        var json = #"{"id":0,"name":"leaf"}"#
        for level in 1...depth {
            json = #"{"name":"n","id":\#(level),"friends":[\#(json)]}"#
        }
        let document = try deepDocument(json)
        var report = MappingReport()
        var person = try MappingPlan(Person.self).object(
            Person.self, from: document.root, report: &report)
        for level in stride(from: depth, to: 0, by: -1) {
            #expect(person.id == level)
            person = try #require(person.friends.first)
        }
        #expect(report.objectCount == depth + 1)
    }

    /// The depth that an observed run reaches within its stack limit; frames of a program built for
    /// debugging are large.
    private var observedDepth: Int {
        #if DEBUG
        MappingLimits.depth / 2
        #else
        MappingLimits.depth
        #endif
    }

    @Test(.threat("T01"), .withoutSanitizer, arguments: [false, true])
    func mapsDeepestObjectsOnSmallestStack(isObserved: Bool) async throws {
        let depth = isObserved ? observedDepth : MappingLimits.depth
        let report = try await mapNested(depth, isObserved: isObserved).get()
        #expect(report.objectCount == depth)
    }

    @Test(.threat("T01"), .withoutSanitizer) func limitsDepthOfObservedRun() async throws {
        let result = try await mapNested(MappingLimits.depth + 1, isObserved: true)
        guard case .failure(let error) = result else {
            Issue.record("deeper than the limit")
            return
        }
        #expect(error.issue?.code == .depthExceeded)
        let path = error.path.components
        #expect(path.count >= observedDepth * 2 && path.count <= MappingLimits.depth * 2)
    }

    /// Maps a person with friends that have friends, on a thread with the smallest stack.
    private func mapNested(
        _ depth: Int, isObserved: Bool
    ) async throws -> Result<MappingReport, MappingError> {
        var json = #"{"id":0,"name":"n"}"#
        for level in 1..<depth {
            json = #"{"id":\#(level),"name":"n","tags":["t"],"friends":[\#(json)]}"#
        }
        let document = try deepDocument(json)
        let plan = try MappingPlan(Person.self)
        return await withCheckedContinuation { continuation in
            let thread = Thread {
                let observer = isObserved ? MappingInfoRecorder() : nil
                continuation.resume(
                    returning: Result { () throws(MappingError) in
                        var report = MappingReport()
                        _ = try plan.objects(
                            Person.self, from: document.root,
                            in: MappingEnvironment(observer: observer), report: &report)
                        return report
                    })
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test(.threat("T01")) func failsWithPathBeyondDepthLimit() throws {
        var json = "null"
        for level in 0...MappingLimits.depth {
            json = #"{"id":\#(level),"name":"n","friends":[\#(json)]}"#
        }
        let document = try deepDocument(json)
        var report = MappingReport()
        let error = #expect(throws: MappingError.self) {
            try MappingPlan(Person.self).objects(Person.self, from: document.root, report: &report)
        }
        #expect(error?.issue?.code == .depthExceeded)
        #expect(error?.path.components.count == MappingLimits.depth * 2)
    }

    @Test(.parity("M018")) func readsDottedSources() throws {
        let mapping = ObjectMapping(for: Address.self) {
            attribute("place.town.name", to: \.city)
            attribute("place.zip", to: \.zip)
        }
        let json =
            #"[{"place":{"zip":"1","town":{"name":"Bergen"}}},{"place":{"town":{"name":"B"}}}]"#
        let found = try map(Address.self, json, with: mapping)
        #expect(found == [Address(city: "Bergen", zip: "1"), Address(city: "B", zip: nil)])
    }

    @Test func resolvesIndexAndWholeObject() throws {
        let whole = ValueTransform<String?>("member count") { String($0.count) }
        let mapping = ObjectMapping(for: Address.self) {
            attribute("lines[1].text", to: \.city)
            attribute("", to: \.zip, using: whole)
        }
        let json = #"{"lines":[{"text":"first"},{"text":"second"}],"other":1}"#
        #expect(try map(Address.self, json, with: mapping) == [Address(city: "second", zip: "2")])
    }

    @Test func assignsTwoPropertiesFromOneSource() throws {
        let mapping = ObjectMapping(for: Address.self) {
            attribute("x", to: \.city)
            attribute("x", to: \.zip)
        }
        #expect(
            try map(Address.self, #"{"x":"y"}"#, with: mapping) == [Address(city: "y", zip: "y")])
    }

    @Test func matchesKeysOfAnyLengthOrderAndSpelling() throws {
        let names = (1...40).map { String(repeating: "k", count: $0) }
        for name in names + ["", "naïve café", "a\u{0}b", "a.b", "abcdefgh1", "abcdefgh2"] {
            var mapping = ObjectMapping(table: Address.properties)
            mapping.add(AttributeMapping(SourcePath([.key(name)]), to: "city"))
            for decoy in ["abcdefgh", "kkkkkkkkkkkkkkkkkkkkkkkkkk", "x"] where decoy != name {
                mapping.add(AttributeMapping(SourcePath([.key(decoy)]), to: "zip"))
                break
            }
            let escaped = name.unicodeScalars.map { scalar in
                scalar.isASCII ? "\\u00" + hex(scalar.value) : String(scalar)
            }.joined()
            let plain = name.replacing("\u{0}", with: "\\u0000")
            for spelling in [plain, escaped] {
                let json = #"{"y":0,"\#(spelling)":"found","z":[1]}"#
                #expect(
                    try map(Address.self, json, with: mapping).first?.city == "found", "\(name)")
            }
        }
    }

    @Test func assignsLastOfTwoEqualKeys() throws {
        #expect(
            try map(Address.self, #"{"city":"a","city":"b"}"#) == [Address(city: "b", zip: nil)])
    }

    @Test func distinguishesKeysOfEqualLength() throws {
        var mapping = ObjectMapping(table: Address.properties)
        mapping.add(AttributeMapping("prefix_middle_A_suffix", to: "city"))
        mapping.add(AttributeMapping("prefix_middle_B_suffix", to: "zip"))
        let json = #"""
            {"prefix_middle_C_suffix":"c","prefix_middle_B_suffix":"b","prefix_middle_A_suffix":"a"}
            """#
        #expect(try map(Address.self, json, with: mapping) == [Address(city: "a", zip: "b")])
    }

    @Test(.parity("M200", "M280")) func keepsInstanceAndUnnamedPropertiesWhenUpdating()
        throws
    {
        let person = Person(id: 7, name: "old", mood: .cheerful, tags: ["x"])
        let document = try Document(parsing: Array(#"{"id":7,"name":"new"}"#.utf8))
        var report = MappingReport()
        let result = try MappingPlan(Person.self).object(
            updating: person, from: document.root, report: &report)
        #expect(result === person)
        #expect(person.name == "new")
        #expect(person.mood == .cheerful)
        #expect(person.tags == ["x"])
        let nameless = try Document(parsing: Array(#"{"id":7,"tags":["y"]}"#.utf8))
        _ = try MappingPlan(Person.self).object(
            updating: person, from: nameless.root, report: &report)
        #expect(person.name == "new")
        #expect(person.tags == ["y"])
        #expect(report.issues.isEmpty)
    }

    @Test func buildsObjectsOfTypeKnownAtRunTime() throws {
        let plan = try MappingPlan(Address.self)
        let document = try Document(parsing: Array(#"[{"city":"a"},{"city":"b"}]"#.utf8))
        var report = MappingReport()
        let objects = try plan.anyObjects(from: document.root, report: &report)
        #expect(objects.compactMap { ($0 as? Address)?.city } == ["a", "b"])
    }

    @Test func rejectsAnotherType() throws {
        let plan = try MappingPlan(Address.self)
        let document = try Document(parsing: Array("{}".utf8))
        var report = MappingReport()
        let error = #expect(throws: MappingError.self) {
            try plan.object(Person.self, from: document.root, report: &report)
        }
        #expect(error?.code == .wrongSubject)
    }

    @Test(arguments: ["[]", "null"]) func mapsEmptyListAndNullToNoObjects(json: String) throws {
        #expect(try map(Address.self, json) == [])
    }

    private func deepDocument(_ json: String) throws -> Document {
        var limits = ParseLimits()
        limits.depth = 5000
        return try Document(parsing: Array(json.utf8), limits: limits)
    }

    private func hex(_ value: UInt32) -> String {
        let text = String(value, radix: 16)
        return text.count == 1 ? "0" + text : text
    }
}
