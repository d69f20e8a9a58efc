// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

private final class Switch: ManagedObject {
    var isOn: Bool {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
}

extension Switch: ManagedEntity {
    static let entity = EntityDescription(Switch.self, [.property("isOn", \Switch.isOn)])
}

@Suite struct ManagedObjectRepresentationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns the document of a managed airport.
    private func document(
        _ mapping: RequestMapping, _ fill: @escaping @Sendable (Airport) throws -> Void
    ) async throws -> Document {
        let store = try await files.open()
        let plan = try RequestPlan(mapping)
        return try await store.perform { context in
            defer { context.rollback() }
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "Gardermoen"
            try fill(airport)
            return try plan.document(of: airport)
        }
    }

    @Test(.parity("M331", "X028")) func writesNestedAndFormattedDates() async throws {
        var mapping = RequestMapping(for: Airport.self, ["openedAt": "nestedPath.opened"])
        let epoch = Date(timeIntervalSince1970: 0)
        let plain = try await document(mapping) { $0.openedAt = epoch }
        #expect(plain == ["nestedPath": ["opened": "1970-01-01T00:00:00Z"]])
        mapping.dates = .iso8601WithFraction
        let fraction = try await document(mapping) { $0.openedAt = epoch }
        #expect(fraction == ["nestedPath": ["opened": "1970-01-01T00:00:00.000Z"]])
    }

    @Test(.parity("M329", "M330", "X028"), arguments: [true, false])
    func writesBooleansAsBooleans(isOn: Bool) async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Switch.self)
        let plan = try RequestPlan(Switch.self)
        let text = try await store.perform { context in
            defer { context.rollback() }
            let object = try context.insert(Switch.self)
            object.isOn = isOn
            return String(decoding: try plan.bytes(of: object), as: UTF8.self)
        }
        #expect(text == #"{"isOn":\#(isOn)}"#)
    }

    @Test func writesAttributesByColumnType() async throws {
        let mapping = RequestMapping(for: Airport.self, ["code", "name", "openedAt", "passengers"])
        let document = try await document(mapping) { $0.passengers = 7 }
        #expect(
            document == ["code": "OSL", "name": "Gardermoen", "openedAt": nil, "passengers": 7])
    }

    @Test(.parity("M339", "X028")) func writesRelatedObjects() async throws {
        let mapping = RequestMapping(for: Airport.self) {
            attribute(\.name, to: "name")
            relationship(
                \.terminals, to: "terminals",
                mapping: RequestMapping(for: Terminal.self, ["number"]))
            relationship(\.city, to: "city", mapping: RequestMapping(for: City.self, ["name"]))
        }
        let full = try await document(mapping) { airport in
            let context = airport.managedObjectContext
            let city = try context.insert(City.self)
            city.name = "Oslo"
            airport.city = city
            for number in 1...2 {
                let terminal = try context.insert(Terminal.self)
                terminal.number = number
                terminal.airport = airport
            }
        }
        #expect(
            full == [
                "name": "Gardermoen", "terminals": [["number": 1], ["number": 2]],
                "city": ["name": "Oslo"],
            ])
        let bare = try await document(mapping) { _ in }
        #expect(bare == ["name": "Gardermoen", "terminals": []])
    }

    @Test func planRejectsObjectsOfAnotherEntity() async throws {
        let store = try await files.open()
        let plan = try RequestPlan(City.self)
        try await store.perform { context in
            defer { context.rollback() }
            let airport = try context.insert(Airport.self)
            let error = #expect(throws: MappingError.self) { try plan.bytes(of: airport) }
            #expect(error?.code == .wrongSubject)
        }
    }

    // MARK: Default mappings

    /// Returns the default representations of one object of each entity, all connected.
    private func defaults() async throws -> [String: Document] {
        let store = try await files.open()
        return try await store.perform { context in
            defer { context.rollback() }
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Gardermoen")
            let city = try context.insert(City.self)
            (city.name, city.population, airport.city) = ("Oslo", 7, city)
            let mayor = try context.insert(Mayor.self)
            (mayor.name, mayor.city) = ("Anne", city)
            let terminal = try context.insert(Terminal.self)
            (terminal.number, terminal.airport) = (1, airport)
            let airlines = try ["DY", "SK"].map { code in
                let airline = try context.insert(Airline.self)
                (airline.code, airline.alliance) = (code, .star)
                return airline
            }
            terminal.airlines = Set(airlines)
            airlines[0].partners = Set(airlines)
            return [
                "Airport": try RequestPlan(Airport.self).document(of: airport),
                "City": try RequestPlan(City.self).document(of: city),
                "Mayor": try RequestPlan(Mayor.self).document(of: mayor),
                "Terminal": try RequestPlan(Terminal.self).document(of: terminal),
                "Airline": try RequestPlan(Airline.self).document(of: airlines[0]),
            ]
        }
    }

    @Test func defaultMappingsLeaveOutInverses() async throws {
        let documents = try await defaults()
        #expect(
            documents["Airport"] == [
                "code": "OSL", "name": "Gardermoen", "opened_at": nil, "passengers": 0,
                "city": ["name": "Oslo"],
            ])
        #expect(documents["City"] == ["name": "Oslo", "population": 7])
        #expect(documents["Mayor"] == ["name": "Anne", "city": ["name": "Oslo"]])
    }

    @Test func defaultMappingsWriteRelatedEntitiesByIdentity() async throws {
        let documents = try await defaults()
        #expect(
            documents["Terminal"] == [
                "number": 1, "airport": ["code": "OSL"],
                "airlines": [["code": "DY"], ["code": "SK"]],
            ])
        // A relationship that is its own inverse is written, also to the object itself.
        #expect(
            documents["Airline"] == [
                "code": "DY", "alliance": "star", "partners": [["code": "DY"], ["code": "SK"]],
            ])
    }

    @Test func importFindsObjectsOfDefaultRepresentation() async throws {
        let document = try #require(try await defaults()["Terminal"])
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let saved = try await store.perform { context in
            defer { context.rollback() }
            let plan = try EntityMappingPlan(EntityMapping(Terminal.self), in: store.model)
            _ = try context.importObjects(from: document.root, by: plan)
            return try context.save()
        }
        #expect(saved.inserted == 0)
        #expect(saved.deleted == 0)
        let names = try files.rows("SELECT name FROM Airport WHERE code = 'OSL'")
        #expect(names == [["Gardermoen"]])
    }

    @Test func declaredMappingReplacesIdentity() async throws {
        let mapping = RequestMapping(for: Airport.self) {
            attribute(\.code, to: "code")
            relationship(\.terminals, to: "terminals")
            relationship(\.city, to: "city", mapping: RequestMapping(for: City.self))
        }
        let full = try await document(mapping) { airport in
            let context = airport.managedObjectContext
            let city = try context.insert(City.self)
            (city.name, airport.city) = ("Oslo", city)
            let terminal = try context.insert(Terminal.self)
            (terminal.number, terminal.airport) = (1, airport)
        }
        #expect(
            full == [
                "code": "OSL", "terminals": [["number": 1]],
                "city": ["name": "Oslo", "population": nil],
            ])
    }

    /// Entities without identification attributes: an order, its lines and their discounts.
    private static let parts = [
        EntityDescription(
            "Order", attributes: [.init("note", .text)],
            relationships: [.toMany("lines", "Line", inverse: "order")]),
        EntityDescription(
            "Line", attributes: [.init("amount", .integer)],
            relationships: [
                .toOne("order", "Order"), .toOne("product", "Product"),
                .toMany("discounts", "Discount"), .toOne("replaced", "Line"),
            ]),
        EntityDescription(
            "Discount", attributes: [.init("percent", .integer)],
            relationships: [.toOne("line", "Line")]),
        EntityDescription(
            "Product", attributes: [.init("sku", .text, isIdentity: true), .init("name", .text)]),
    ]

    @Test func entitiesWithoutIdentityAreWrittenAsParts() async throws {
        let store = try await files.open(Self.parts)
        let table = try #require(store.model.properties(of: "Line"))
        let plan = try RequestPlan(RequestMapping(defaultFor: table))
        let document = try await store.perform { context in
            defer { context.rollback() }
            let order = try context.insert(entity: "Order")
            try order.setValue("n", "note")
            let line = try context.insert(entity: "Line")
            try line.setValue(2, "amount")
            let discount = try context.insert(entity: "Discount")
            try discount.setValue(5, "percent")
            let product = try context.insert(entity: "Product")
            try product.setValue("A1", "sku")
            try line.setRelated("order", [order])
            try line.setRelated("product", [product])
            try line.setRelated("discounts", [discount])
            try line.setRelated("replaced", [line])
            try discount.setRelated("line", [line])
            return try plan.document(of: line)
        }
        // The replaced line is part of the line, but not a part of itself.
        let line: Document = [
            "amount": 2, "order": ["note": "n"], "product": ["sku": "A1"],
            "discounts": [["percent": 5]],
        ]
        #expect(document.root["replaced"] == line.root)
        #expect(
            document.root.members.map(\.key).sorted() == [
                "amount", "discounts", "order", "product", "replaced",
            ])
        #expect(document == document.merging(line))
    }
}
