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
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "Gardermoen"
            try fill(airport)
            return try plan.document(of: airport)
        }
    }

    @Test(.parity("M331")) func writesNestedAndFormattedDates() async throws {
        var mapping = RequestMapping(for: Airport.self, ["openedAt": "nestedPath.opened"])
        let epoch = Date(timeIntervalSince1970: 0)
        let plain = try await document(mapping) { $0.openedAt = epoch }
        #expect(plain == ["nestedPath": ["opened": "1970-01-01T00:00:00Z"]])
        mapping.dates = .iso8601WithFraction
        let fraction = try await document(mapping) { $0.openedAt = epoch }
        #expect(fraction == ["nestedPath": ["opened": "1970-01-01T00:00:00.000Z"]])
    }

    @Test(.parity("M329", "M330"), arguments: [true, false])
    func writesBooleansAsBooleans(isOn: Bool) async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Switch.self)
        let plan = try RequestPlan(Switch.self)
        let text = try await store.perform { context in
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

    @Test(.parity("M339")) func writesRelatedObjects() async throws {
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
            let airport = try context.insert(Airport.self)
            let error = #expect(throws: MappingError.self) { try plan.bytes(of: airport) }
            #expect(error?.code == .wrongSubject)
        }
    }
}
