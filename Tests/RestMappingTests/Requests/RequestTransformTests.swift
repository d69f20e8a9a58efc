// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RequestTransformTests {
    @Test(.parity("M332")) func writesResultOfTransform() throws {
        let place = RequestTransform<Spot>("place") {
            ["latitude": $0.latitude, "longitude": $0.longitude]
        }
        let mapping = RequestMapping(for: Citizen.self) {
            attribute(\.spot, to: "location", using: place)
        }
        let spot = Spot(latitude: 125.55, longitude: 200.5)
        let text = try json(Citizen(spot: spot), by: mapping)
        let expected: Document = ["location": ["latitude": 125.55, "longitude": 200.5]]
        #expect(try Document(parsing: text) == expected)
        #expect(try json(Citizen(), by: mapping) == #"{"location":null}"#)
    }

    @Test func transformsEachElement() throws {
        let shout = RequestTransform<String>("capitals") { $0.uppercased() }
        let text = try json(ofValue: ["a", nil, "b"] as [String?]) { mapping in
            mapping = RequestMapping(table: mapping.table)
            mapping.add(RequestAttribute("value", to: "value", using: shout))
        }
        #expect(text == #"{"value":["A",null,"B"]}"#)
    }

    @Test func reportsPathOfTransformOfAnotherType() throws {
        let mapping = RequestMapping(for: Citizen.self) {
            attribute(\.name, to: "a.name", using: RequestTransform<Int>("digits") { $0 })
        }
        let plan = try RequestPlan(mapping)
        let error = #expect(throws: MappingError.self) {
            try plan.bytes(of: Citizen(name: "Blake"))
        }
        #expect(error?.issue?.code == .transformFailed)
        #expect(error?.path == "a.name")
        #expect(error?.description.contains("Blake") == false)
    }
}
