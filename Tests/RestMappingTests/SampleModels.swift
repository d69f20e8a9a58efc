// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The conformances of these models are written by hand, as the macro would write them.
enum Mood: String, MappableValue {
    case cheerful
    case grumpy
}

struct Address: Hashable {
    var city: String
    let zip: String?
}

extension Address: Mapped {
    struct Draft: MappingDraft {
        private var city: String?
        private var zip: String?

        init() {}

        init(editing subject: Address) {
            city = subject.city
            zip = subject.zip
        }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            switch property {
            case 0: city = try source.read(String.self)
            case 1: zip = try source.read(String?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Address {
            guard let city else { throw .missing(property: 0) }
            return Address(city: city, zip: zip)
        }
    }

    static let properties = PropertyTable(
        Address.self,
        [
            Property("city", \Address.city, String.self, isRequired: true),
            Property("zip", \Address.zip, String?.self),
        ])
}

/// A reference type that relates to itself.
final class Person {
    let id: Int
    var name: String
    var mood: Mood?
    var address: Address?
    var friends: [Person]
    var tags: Set<String>
    var scores: [String: Double]
    var born: Date?

    init(
        id: Int, name: String, mood: Mood? = nil, address: Address? = nil, friends: [Person] = [],
        tags: Set<String> = [], scores: [String: Double] = [:], born: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.mood = mood
        self.address = address
        self.friends = friends
        self.tags = tags
        self.scores = scores
        self.born = born
    }
}

extension Person: Mapped {
    struct Draft: MappingDraft {
        private var subject: Person?
        private var id: Int?
        private var name: String?
        private var mood: Mood?
        private var address: Address?
        private var friends: [Person] = []
        private var tags: Set<String> = []
        private var scores: [String: Double] = [:]
        private var born: Date?

        init() {}

        init(editing subject: Person) {
            self.subject = subject
            id = subject.id
            name = subject.name
            mood = subject.mood
            address = subject.address
            friends = subject.friends
            tags = subject.tags
            scores = subject.scores
            born = subject.born
        }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: name = try source.read(String.self)
            case 2: mood = try source.read(Mood?.self)
            case 3: address = try source.read(Address?.self)
            case 4: friends = try source.read([Person].self)
            case 5: tags = try source.read(Set<String>.self)
            case 6: scores = try source.read([String: Double].self)
            case 7: born = try source.read(Date?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Person {
            guard let id else { throw .missing(property: 0) }
            guard let name else { throw .missing(property: 1) }
            guard let subject else {
                return Person(
                    id: id, name: name, mood: mood, address: address, friends: friends, tags: tags,
                    scores: scores, born: born)
            }
            subject.name = name
            subject.mood = mood
            subject.address = address
            subject.friends = friends
            subject.tags = tags
            subject.scores = scores
            subject.born = born
            return subject
        }
    }

    static let properties = PropertyTable(
        Person.self,
        [
            Property("id", \Person.id, Int.self, isRequired: true),
            Property("name", \Person.name, String.self, isRequired: true),
            Property("mood", \Person.mood, Mood?.self),
            Property("address", \Person.address, Address?.self),
            Property("friends", \Person.friends, [Person].self),
            Property("tags", \Person.tags, Set<String>.self),
            Property("scores", \Person.scores, [String: Double].self),
            Property("born", \Person.born, Date?.self),
        ])
}

/// One value of any type, for tables of conversions.
struct Holder<Value: MappableValue>: Mapped {
    var value: Value?

    struct Draft: MappingDraft {
        private var value: Value?

        init() {}

        init(editing subject: Holder) { value = subject.value }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            if property == 0 { value = try source.read(Value?.self) }
        }

        consuming func finish() throws(MappingFailure) -> Holder { Holder(value: value) }
    }

    static var properties: PropertyTable {
        PropertyTable(Holder.self, [Property("value", \Holder.value, Value?.self)])
    }
}

/// Maps JSON text with a mapping, or the type's default one.
func map<Subject: Mapped>(
    _ type: Subject.Type, _ json: String, with mapping: ObjectMapping? = nil,
    report: inout MappingReport
) throws -> [Subject] {
    let plan = try MappingCompiler().compile(mapping ?? ObjectMapping(for: type))
    let document = try Document(parsing: Array(json.utf8))
    return try plan.objects(type, from: document.root, report: &report)
}

/// The same, where the report is of no interest.
func map<Subject: Mapped>(
    _ type: Subject.Type, _ json: String, with mapping: ObjectMapping? = nil
) throws -> [Subject] {
    var report = MappingReport()
    return try map(type, json, with: mapping, report: &report)
}
