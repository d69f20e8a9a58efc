// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import RestPersistence

// The expansion of `@Entity`, written by hand. The declaration would be:
//
//     @Entity final class Airport: ManagedObject {
//         @Identity var code: String
//         var name: String
//         @MappedKey("opened_at") var openedAt: Date?
//         var passengers: Int = 0
//         @Inverse(\Terminal.airport) var terminals: Set<Terminal>
//         var city: City?
//     }
//
// - A stored property whose type is `Set<X>` is a to-many relationship; one whose type is optional
//   can be an attribute or a to-one relationship, which syntax cannot distinguish. The macro
//   writes `.property("city", \Airport.city, …)` for every property and `managedValue(index)` /
//   `setManagedValue(index, newValue)` in every accessor: overload resolution picks attribute, to-one or
//   to-many by the type. The index is the property's position in the class, counted over all kinds.
// - Accessors are computed, so a class has no stored properties and inherits `init(_:)`.
// - The entity's name is the class's name; `@Entity(name:)` would pass `name:`.
// - A default value (`= 0`) moves into the description: `default: 0`.
// - `inverse:` takes the key path of `@Inverse` as written.
// - The conformance is an extension; access level follows the class.

final class Airport: ManagedObject {
    var code: String {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var name: String {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var openedAt: Date? {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
    var passengers: Int {
        get { managedValue(3) }
        set { setManagedValue(3, newValue) }
    }
    var terminals: Set<Terminal> {
        get { managedValue(4) }
        set { setManagedValue(4, newValue) }
    }
    var city: City? {
        get { managedValue(5) }
        set { setManagedValue(5, newValue) }
    }
}

extension Airport: ManagedEntity {
    static let entity = EntityDescription(
        Airport.self,
        [
            .property("code", \Airport.code, isIdentity: true),
            .property("name", \Airport.name),
            .property("openedAt", \Airport.openedAt, sourceKey: "opened_at"),
            .property("passengers", \Airport.passengers, default: 0),
            .property("terminals", \Airport.terminals, inverse: "airport"),
            .property("city", \Airport.city),
        ])
}

final class Terminal: ManagedObject {
    var number: Int {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var airport: Airport? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var airlines: Set<Airline> {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
}

extension Terminal: ManagedEntity {
    static let entity = EntityDescription(
        Terminal.self,
        [
            .property("number", \Terminal.number, isIdentity: true),
            .property("airport", \Terminal.airport),
            .property("airlines", \Terminal.airlines),
        ])
}

final class City: ManagedObject {
    var name: String {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var population: Int? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var mayor: Mayor? {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
}

extension City: ManagedEntity {
    static let entity = EntityDescription(
        City.self,
        [
            .property("name", \City.name, isIdentity: true),
            .property("population", \City.population),
            .property("mayor", \City.mayor, inverse: "city"),
        ])
}

final class Mayor: ManagedObject {
    var name: String {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var city: City? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
}

extension Mayor: ManagedEntity {
    static let entity = EntityDescription(
        Mayor.self,
        [
            .property("name", \Mayor.name, isIdentity: true),
            .property("city", \Mayor.city),
        ])
}

final class Airline: ManagedObject {
    enum Alliance: String, AttributeValue {
        case star
        case oneworld
    }

    var code: String {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var alliance: Alliance? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var terminals: Set<Terminal> {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
    var partners: Set<Airline> {
        get { managedValue(3) }
        set { setManagedValue(3, newValue) }
    }
}

extension Airline: ManagedEntity {
    static let entity = EntityDescription(
        Airline.self,
        [
            .property("code", \Airline.code, isIdentity: true),
            .property("alliance", \Airline.alliance),
            .property("terminals", \Airline.terminals, inverse: "airlines"),
            .property("partners", \Airline.partners, inverse: "partners"),
        ])
}
