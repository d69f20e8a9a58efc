// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

struct Place: Equatable, Mapped {
    var latitude: Double?
    var longitude: Double?

    struct Draft: MappingDraft {
        private var subject = Place()

        init() {}

        init(editing subject: Place) { self.subject = subject }

        mutating func assign(_ property: Int, from source: MappingSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &subject.latitude)
            case 1: try source.assign(nullable: &subject.longitude)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Place { subject }
    }

    func write(_ property: Int, to writer: inout RepresentationWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(latitude)
        case 1: try writer.write(longitude)
        default: break
        }
    }

    static let properties = PropertyTable(
        Place.self,
        [
            Property("latitude", \Place.latitude, Double?.self),
            Property("longitude", \Place.longitude, Double?.self),
        ])
}

struct Address: Equatable, Mapped {
    var id: Int?
    var city: String?
    var state: String?
    var country: String?

    struct Draft: MappingDraft {
        private var subject = Address()

        init() {}

        init(editing subject: Address) { self.subject = subject }

        mutating func assign(_ property: Int, from source: MappingSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &subject.id)
            case 1: try source.assign(nullable: &subject.city)
            case 2: try source.assign(nullable: &subject.state)
            case 3: try source.assign(nullable: &subject.country)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Address { subject }
    }

    func write(_ property: Int, to writer: inout RepresentationWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(city)
        case 2: try writer.write(state)
        case 3: try writer.write(country)
        default: break
        }
    }

    static let properties = PropertyTable(
        Address.self,
        [
            Property("id", \Address.id, Int?.self),
            Property("city", \Address.city, String?.self),
            Property("state", \Address.state, String?.self),
            Property("country", \Address.country, String?.self),
        ])
}

struct User: Mapped {
    var id: Int?
    var name: String?
    var address: Address?
    var place: Place?

    struct Draft: MappingDraft {
        private var subject = User()

        init() {}

        init(editing subject: User) { self.subject = subject }

        mutating func assign(_ property: Int, from source: MappingSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &subject.id)
            case 1: try source.assign(nullable: &subject.name)
            case 2: try source.assign(nullable: &subject.address)
            case 3: try source.assign(nullable: &subject.place)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> User { subject }
    }

    func write(_ property: Int, to writer: inout RepresentationWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(name)
        case 2: try writer.write(address)
        case 3: try writer.write(place)
        default: break
        }
    }

    static let properties = PropertyTable(
        User.self,
        [
            Property("id", \User.id, Int?.self),
            Property("name", \User.name, String?.self),
            Property("address", \User.address, Address?.self),
            Property("place", \User.place, Place?.self),
        ])
}
