// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The conformances of these models are written by hand, in the form of the macro's expansion.
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
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&city)
            case 1: try source.assign(nullable: &zip)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Address {
            guard let city else { throw .missing(property: 0) }
            return Address(city: city, zip: zip)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.city)
        case 1: try writer.write(self.zip)
        default: break
        }
    }

    static let properties = PropertyTable(
        Address.self,
        [
            Property("city", \Address.city, String.self, isRequired: true),
            Property("zip", \Address.zip, String?.self),
        ])
}

/// A reference type with a relationship to itself.
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
    /// A draft that keeps assigned values apart from those of the instance, so that only they are
    /// written.
    struct Draft: MappingDraft {
        private var subject: Person?
        private var id: Int?
        private var name: String?
        private var mood: Mood??
        private var address: Address??
        private var friends: [Person]?
        private var tags: Set<String>?
        private var scores: [String: Double]?
        private var born: Date??

        init() {}

        init(editing subject: Person) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&id, current: subject?.id)
            case 1: try source.assign(&name, current: subject?.name)
            case 2: try source.assign(&mood, current: subject.map(\.mood))
            case 3: try source.assign(&address, current: subject.map(\.address))
            case 4: try source.assign(&friends, current: subject?.friends, default: [])
            case 5: try source.assign(&tags, current: subject?.tags, default: [])
            case 6: try source.assign(&scores, current: subject?.scores, default: [:])
            case 7: try source.assign(&born, current: subject.map(\.born))
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Person {
            guard let subject else {
                guard let id else { throw .missing(property: 0) }
                guard let name else { throw .missing(property: 1) }
                return Person(
                    id: id, name: name, mood: mood ?? nil, address: address ?? nil,
                    friends: friends ?? [], tags: tags ?? [], scores: scores ?? [:],
                    born: born ?? nil)
            }
            if let name { subject.name = name }
            if let mood { subject.mood = mood }
            if let address { subject.address = address }
            if let friends { subject.friends = friends }
            if let tags { subject.tags = tags }
            if let scores { subject.scores = scores }
            if let born { subject.born = born }
            return subject
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.id)
        case 1: try writer.write(self.name)
        case 2: try writer.write(self.mood)
        case 3: try writer.write(self.address)
        case 4: try writer.write(self.friends)
        case 5: try writer.write(self.tags)
        case 6: try writer.write(self.scores)
        case 7: try writer.write(self.born)
        default: break
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

/// A holder of one value of any type, for tables of conversions.
struct Holder<Value: MappableValue>: Mapped {
    var value: Value?

    struct Draft: MappingDraft {
        private var value: Value?

        init() {}

        init(editing subject: Holder) { value = subject.value }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { try source.assign(nullable: &value) }
        }

        consuming func finish() throws(MappingFailure) -> Holder { Holder(value: value) }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.value)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(Holder.self, [Property("value", \Holder.value, Value?.self)])
    }
}

/// Maps JSON text with a mapping, or the type's default mapping.
func map<Subject: Mapped>(
    _ type: Subject.Type, _ json: String, with mapping: ObjectMapping? = nil,
    report: inout MappingReport
) throws -> [Subject] {
    let plan = try MappingCompiler().compile(mapping ?? ObjectMapping(for: type))
    let document = try Document(parsing: Array(json.utf8))
    return try plan.objects(type, from: document.root, report: &report)
}

/// Maps JSON text without a report.
func map<Subject: Mapped>(
    _ type: Subject.Type, _ json: String, with mapping: ObjectMapping? = nil
) throws -> [Subject] {
    var report = MappingReport()
    return try map(type, json, with: mapping, report: &report)
}
