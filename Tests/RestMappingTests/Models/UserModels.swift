// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An address of a user; two are equal if their numbers are.
final class Home: Mapped, Hashable {
    var addressID: Int?
    var city: String? { didSet { writes.append("city") } }
    var state: String?
    var country: String?
    /// The names of the properties that were written since initialization.
    private(set) var writes: [String] = []

    init(addressID: Int? = nil, city: String? = nil) {
        self.addressID = addressID
        self.city = city
    }

    static func == (left: Home, right: Home) -> Bool { left.addressID == right.addressID }

    func hash(into hasher: inout Hasher) { hasher.combine(addressID) }

    struct Draft: MappingDraft {
        private var subject: Home?
        private var addressID: Int??
        private var city: String??
        private var state: String??
        private var country: String??

        init() {}

        init(editing subject: Home) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&addressID, current: subject.map(\.addressID))
            case 1: try source.assign(&city, current: subject.map(\.city))
            case 2: try source.assign(&state, current: subject.map(\.state))
            case 3: try source.assign(&country, current: subject.map(\.country))
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Home {
            let home = subject ?? Home()
            if let addressID { home.addressID = addressID }
            if let city { home.city = city }
            if let state { home.state = state }
            if let country { home.country = country }
            return home
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.addressID)
        case 1: try writer.write(self.city)
        case 2: try writer.write(self.state)
        case 3: try writer.write(self.country)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(
            Home.self,
            [
                Property("addressID", \Home.addressID, Int?.self, source: "id"),
                Property("city", \Home.city, String?.self),
                Property("state", \Home.state, String?.self),
                Property("country", \Home.country, String?.self),
            ])
    }
}

/// A pair of coordinates, as a value type.
struct Coordinate: Hashable, Mapped {
    var latitude = 0.0
    var longitude = 0.0

    struct Draft: MappingDraft {
        private var latitude: Double?
        private var longitude: Double?

        init() {}

        init(editing subject: Coordinate) {
            latitude = subject.latitude
            longitude = subject.longitude
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&latitude, default: 0)
            case 1: try source.assign(&longitude, default: 0)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Coordinate {
            Coordinate(latitude: latitude ?? 0, longitude: longitude ?? 0)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.latitude)
        case 1: try writer.write(self.longitude)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(
            Coordinate.self,
            [
                Property("latitude", \Coordinate.latitude, Double.self),
                Property("longitude", \Coordinate.longitude, Double.self),
            ])
    }
}

/// A user; two are equal if their numbers are.
final class User: Mapped, Hashable {
    var userID: Int? { didSet { writes.append("userID") } }
    var name: String? { didSet { writes.append("name") } }
    var country: String? { didSet { writes.append("country") } }
    var luckyNumber: Int? { didSet { writes.append("luckyNumber") } }
    var website: URL? { didSet { writes.append("website") } }
    var interests: [String] = [] { didSet { writes.append("interests") } }
    var address: Home? { didSet { writes.append("address") } }
    var coordinate: Coordinate? { didSet { writes.append("coordinate") } }
    var friends: [User] = [] { didSet { writes.append("friends") } }
    var friendsSet: Set<User> = [] { didSet { writes.append("friendsSet") } }
    /// The names of the properties that were written since initialization.
    private(set) var writes: [String] = []

    init(userID: Int? = nil, name: String? = nil) {
        self.userID = userID
        self.name = name
    }

    static func == (left: User, right: User) -> Bool {
        left === right || left.userID != nil && left.userID == right.userID
    }

    func hash(into hasher: inout Hasher) { hasher.combine(userID) }

    /// Clears the record of written properties.
    func forgetWrites() { writes = [] }

    struct Draft: MappingDraft {
        private var subject: User?
        private var userID: Int??
        private var name: String??
        private var country: String??
        private var luckyNumber: Int??
        private var website: URL??
        private var interests: [String]?
        private var address: Home??
        private var coordinate: Coordinate??
        private var friends: [User]?
        private var friendsSet: Set<User>?

        init() {}

        init(editing subject: User) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&userID, current: subject.map(\.userID))
            case 1: try source.assign(&name, current: subject.map(\.name))
            case 2: try source.assign(&country, current: subject.map(\.country))
            case 3: try source.assign(&luckyNumber, current: subject.map(\.luckyNumber))
            case 4: try source.assign(&website, current: subject.map(\.website))
            case 5: try source.assign(&interests, current: subject?.interests, default: [])
            case 6: try source.assign(&address, current: subject.map(\.address))
            case 7: try source.assign(&coordinate, current: subject.map(\.coordinate))
            case 8: try source.assign(&friends, current: subject?.friends, default: [])
            case 9: try source.assign(&friendsSet, current: subject?.friendsSet, default: [])
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> User {
            let user = subject ?? User()
            if let userID { user.userID = userID }
            if let name { user.name = name }
            if let country { user.country = country }
            if let luckyNumber { user.luckyNumber = luckyNumber }
            if let website { user.website = website }
            if let interests { user.interests = interests }
            if let address { user.address = address }
            if let coordinate { user.coordinate = coordinate }
            if let friends { user.friends = friends }
            if let friendsSet { user.friendsSet = friendsSet }
            return user
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.userID)
        case 1: try writer.write(self.name)
        case 2: try writer.write(self.country)
        case 3: try writer.write(self.luckyNumber)
        case 4: try writer.write(self.website)
        case 5: try writer.write(self.interests)
        case 6: try writer.write(self.address)
        case 7: try writer.write(self.coordinate)
        case 8: try writer.write(self.friends)
        case 9: try writer.write(self.friendsSet)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(
            User.self,
            [
                Property("userID", \User.userID, Int?.self, source: "id"),
                Property("name", \User.name, String?.self),
                Property("country", \User.country, String?.self),
                Property("luckyNumber", \User.luckyNumber, Int?.self, source: "lucky_number"),
                Property("website", \User.website, URL?.self),
                Property("interests", \User.interests, [String].self),
                Property("address", \User.address, Home?.self),
                Property("coordinate", \User.coordinate, Coordinate?.self),
                Property("friends", \User.friends, [User].self),
                Property("friendsSet", \User.friendsSet, Set<User>.self),
            ])
    }
}

/// Maps JSON text into an existing object.
@discardableResult
func fill<Subject: Mapped>(
    _ subject: Subject, _ json: String, with mapping: ObjectMapping,
    in environment: MappingEnvironment? = nil, report: inout MappingReport
) throws -> Subject {
    let plan = try MappingCompiler().compile(mapping)
    let document = try Document(parsing: json)
    return try plan.object(
        updating: subject, from: document.root, in: environment, report: &report)
}

/// Maps JSON text into an existing object without a report.
@discardableResult
func fill<Subject: Mapped>(
    _ subject: Subject, _ json: String, with mapping: ObjectMapping,
    in environment: MappingEnvironment? = nil
) throws -> Subject {
    var report = MappingReport()
    return try fill(subject, json, with: mapping, in: environment, report: &report)
}
