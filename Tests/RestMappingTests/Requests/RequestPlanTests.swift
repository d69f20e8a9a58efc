// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RequestPlanTests {
    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func reportsPathOfNonFiniteNumber(value: Double) throws {
        let plan = try RequestPlan(Companion.self)
        let chain = Companion(name: "secret", friend: Companion(name: "b", weight: value))
        let error = #expect(throws: MappingError.self) { try plan.bytes(of: chain) }
        #expect(error?.code == .invalidObject)
        #expect(error?.issue?.code == .outOfRange)
        #expect(error?.path == "friend.weight")
        #expect(error?.issue?.mapping == "Companion")
        #expect(error?.issue?.property == "weight")
        #expect(error?.description.contains("secret") == false)
    }

    @Test func reportsPathThroughListsAndDictionaries() throws {
        let error = #expect(throws: MappingError.self) {
            try json(ofValue: ["a": [1, 2, Double.nan]])
        }
        #expect(error?.path == "value.a[2]")
        let plan = try RequestPlan(RequestMapping(for: Companion.self, ["weight"]), rootKey: "r")
        let listed = #expect(throws: MappingError.self) {
            try plan.bytes(ofAll: [Companion(name: "a"), Companion(name: "b", weight: .nan)])
        }
        #expect(listed?.path == "r[1].weight")
    }

    @Test(.threat("T01")) func throwsForCycleOfObjects() throws {
        let one = Companion(name: "a")
        let two = Companion(name: "b", friend: one)
        one.friend = two
        defer { one.friend = nil }
        let plan = try RequestPlan(Companion.self)
        let error = #expect(throws: MappingError.self) { try plan.bytes(of: one) }
        #expect(error?.issue?.code == .depthExceeded)
        #expect(error?.path.components.count == MappingLimits.depth)
    }

    @Test(.threat("T01")) func nestsObjectsUpToDepthLimit() throws {
        var chain = Companion(name: "a")
        for _ in 1..<MappingLimits.depth { chain = Companion(name: "a", friend: chain) }
        let plan = try RequestPlan(Companion.self)
        #expect(try Document(parsing: plan.bytes(of: chain)).root.kind == .object)
        let error = #expect(throws: MappingError.self) {
            try plan.bytes(of: Companion(name: "a", friend: chain))
        }
        #expect(error?.issue?.code == .depthExceeded)
    }

    @Test func throwsForObjectOfAnotherType() throws {
        let plan = try RequestPlan(City.self)
        let error = #expect(throws: MappingError.self) { try plan.bytes(of: Citizen()) }
        #expect(error?.code == .wrongSubject)
    }
}
