// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// A value type outside the library, which is not a mapped object.
struct Spot: Hashable, MappableValue {
    var latitude: Double
    var longitude: Double

    static func map(from source: ValueSource) throws(MappingFailure) -> Spot {
        let parts = try [String: Double].map(from: source)
        return Spot(latitude: parts["latitude"] ?? 0, longitude: parts["longitude"] ?? 0)
    }

    func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try [latitude, longitude].write(to: &writer)
    }
}

struct City: Hashable, Mapped {
    var name: String?
    var founded: Date?

    struct Draft: MappingDraft {
        private var name: String?
        private var founded: Date?

        init() {}

        init(editing subject: City) {
            name = subject.name
            founded = subject.founded
        }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &name)
            case 1: try source.assign(nullable: &founded)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> City {
            City(name: name, founded: founded)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(founded)
        default: break
        }
    }

    static let properties = PropertyTable(
        City.self,
        [
            Property("name", \City.name, String?.self),
            Property("founded", \City.founded, Date?.self),
        ])
}

/// An object with properties of most kinds, all of which may be absent.
struct Citizen: Mapped {
    var name: String?
    var job: String?
    var isRegistered = false
    var birthday: Date?
    var worth: Decimal?
    var home: City?
    var cities: [City] = []
    var spot: Spot?
    var homepage = Field<URL>.missing
    var friend: Companion?

    struct Draft: MappingDraft {
        private var subject = Citizen()
        private var isRegistered: Bool?
        private var cities: [City]?
        private var homepage: Field<URL>?

        init() {}

        init(editing subject: Citizen) { self.subject = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &subject.name)
            case 1: try source.assign(nullable: &subject.job)
            case 2: try source.assign(&isRegistered)
            case 3: try source.assign(nullable: &subject.birthday)
            case 4: try source.assign(nullable: &subject.worth)
            case 5: try source.assign(nullable: &subject.home)
            case 6: try source.assign(&cities)
            case 7: try source.assign(nullable: &subject.spot)
            case 8: try source.assign(&homepage)
            case 9: try source.assign(nullable: &subject.friend)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Citizen {
            subject.isRegistered = isRegistered ?? subject.isRegistered
            subject.cities = cities ?? subject.cities
            subject.homepage = homepage ?? subject.homepage
            return subject
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(job)
        case 2: try writer.write(isRegistered)
        case 3: try writer.write(birthday)
        case 4: try writer.write(worth)
        case 5: try writer.write(home)
        case 6: try writer.write(cities)
        case 7: try writer.write(spot)
        case 8: try writer.write(homepage)
        case 9: try writer.write(friend)
        default: break
        }
    }

    static let properties = PropertyTable(
        Citizen.self,
        [
            Property("name", \Citizen.name, String?.self),
            Property("job", \Citizen.job, String?.self),
            Property("isRegistered", \Citizen.isRegistered, Bool.self),
            Property("birthday", \Citizen.birthday, Date?.self),
            Property("worth", \Citizen.worth, Decimal?.self),
            Property("home", \Citizen.home, City?.self),
            Property("cities", \Citizen.cities, [City].self),
            Property("spot", \Citizen.spot, Spot?.self),
            Property("homepage", \Citizen.homepage, Field<URL>.self),
            Property("friend", \Citizen.friend, Companion?.self),
        ])
}

/// A reference type whose instances may form a cycle.
final class Companion: Mapped {
    var name: String
    var weight: Double
    var friend: Companion?

    init(name: String, weight: Double = 1, friend: Companion? = nil) {
        self.name = name
        self.weight = weight
        self.friend = friend
    }

    struct Draft: MappingDraft {
        private var name: String?
        private var weight: Double?
        private var friend: Companion?

        init() {}

        init(editing subject: Companion) {
            name = subject.name
            weight = subject.weight
            friend = subject.friend
        }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&name)
            case 1: try source.assign(&weight)
            case 2: try source.assign(nullable: &friend)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Companion {
            guard let name else { throw .missing(property: 0) }
            return Companion(name: name, weight: weight ?? 1, friend: friend)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(weight)
        case 2: try writer.write(friend)
        default: break
        }
    }

    static let properties = PropertyTable(
        Companion.self,
        [
            Property("name", \Companion.name, String.self, isRequired: true),
            Property("weight", \Companion.weight, Double.self),
            Property("friend", \Companion.friend, Companion?.self),
        ])
}

/// Returns the JSON text of an object by a mapping.
func json<Subject: RequestSubject>(
    _ subject: Subject, by mapping: RequestMapping, rootKey: String? = nil
) throws -> String {
    let plan = try RequestPlan(mapping, rootKey: rootKey)
    return String(decoding: try plan.bytes(of: subject), as: UTF8.self)
}

/// Returns the JSON text of an object with a value as its property.
func json<Value: MappableValue>(
    ofValue value: Value?, _ change: (inout RequestMapping) -> Void = { _ in }
) throws -> String {
    var mapping = RequestMapping(for: Holder<Value>.self)
    change(&mapping)
    return try json(Holder(value: value), by: mapping)
}
