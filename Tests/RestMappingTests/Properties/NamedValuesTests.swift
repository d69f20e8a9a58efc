// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import Testing

@Suite struct NamedValuesTests {
    private let person = Person(
        id: 7, name: "Ann", mood: .grumpy, address: Address(city: "Oslo", zip: nil),
        friends: [
            Person(id: 8, name: "Bo"), Person(id: 9, name: "Cy", address: Address(city: "Bergen")),
        ],
        tags: ["x"], scores: ["a.b": 1.5], born: Date(timeIntervalSince1970: 0))

    @Test func readsPathsThroughObjectsArraysAndDictionaries() throws {
        #expect(try person.value(at: "id") as? Int == 7)
        #expect(try person.value(at: "address.city") as? String == "Oslo")
        #expect(try person.value(at: "friends[1].address.city") as? String == "Bergen")
        #expect(try person.value(at: #"scores.a\.b"#) as? Double == 1.5)
        #expect(try person.value(at: "tags") as? Set<String> == ["x"])
        #expect(try person.value(at: DocumentPath([])) as? Person === person)
    }

    @Test(arguments: ["address.zip", "friends[0].address.city", "friends[2].name", "scores.c"])
    func returnsNilForAbsentValues(_ path: String) throws {
        let path = try DocumentPath(parsing: path)
        #expect(try person.value(at: path) == nil)
        #expect(try person.text(at: path) == nil)
    }

    @Test func unwrapsOptionals() throws {
        let value = try #require(try person.value(at: "mood"))
        #expect(type(of: value) == Mood.self)
        let nested: Mood?? = .grumpy
        #expect(try Holder<Mood??>(value: nested).value(at: "value") as? Mood == .grumpy)
        #expect(try Holder<Mood??>(value: .some(.none)).value(at: "value") == nil)
    }

    @Test(arguments: [
        ("nme", "Person", "nme", "name"), ("address.town", "Address", "town", nil),
        ("name.first", "String", "first", nil), ("id[0]", "Int", "[0]", nil),
        ("address[0]", "Address", "[0]", nil),
    ])
    func throwsForUnknownProperty(
        _ path: String, _ type: String, _ name: String, _ suggestion: String?
    ) throws {
        let path = try DocumentPath(parsing: path)
        let error = #expect(throws: MappingError.self) { try person.value(at: path) }
        #expect(error?.code == .unknownProperty)
        #expect(error?.mapping == type)
        #expect(error?.diagnostics.first?.name == name)
        #expect(error?.diagnostics.first?.suggestion == suggestion)
        #expect(error?.description.hasPrefix("unknownProperty") == true)
    }

    @Test(arguments: [
        ("id", "7"), ("name", "Ann"), ("mood", "grumpy"), ("born", "1970-01-01T00:00:00Z"),
        (#"scores.a\.b"#, "1.5"), ("friends", nil), ("address", nil), ("tags", nil),
    ])
    func returnsTextForURL(_ path: String, _ text: String?) throws {
        #expect(try person.text(at: DocumentPath(parsing: path)) == text)
    }
}

extension Address {
    fileprivate init(city: String) { self.init(city: city, zip: nil) }
}
