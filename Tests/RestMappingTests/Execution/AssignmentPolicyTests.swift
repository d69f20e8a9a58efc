// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// What becomes of the objects a relationship holds when others arrive.
@Suite struct AssignmentPolicyTests {
    private func mapping(
        _ assignment: AssignmentPolicy, to property: String
    ) -> ObjectMapping {
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.add(RelationshipMapping("friends", to: property, assignment: assignment))
        return mapping
    }

    private let zach = #"{"id":1,"friends":[{"id":3,"name":"Zach"}]}"#

    @Test(.parity("M225")) func oneObjectIsNoUnion() throws {
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.add(RelationshipMapping("address", to: "address", assignment: .union))
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(error?.diagnostics.map(\.code) == [.invalidAssignmentPolicy])
        #expect(error?.description.contains("holds one object, which is no union") == true)
    }

    @Test(.parity("M226")) func unionAddsToASet() throws {
        let blake = User(userID: 1)
        blake.friendsSet = [User(userID: 2, name: "Jeff")]
        try fill(blake, zach, with: mapping(.union, to: "friendsSet"))
        #expect(blake.friendsSet.compactMap(\.name).sorted() == ["Jeff", "Zach"])
        try fill(blake, zach, with: mapping(.union, to: "friendsSet"))
        #expect(blake.friendsSet.count == 2)
    }

    @Test(.parity("M228")) func unionAppendsToAList() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2, name: "Jeff")]
        try fill(blake, zach, with: mapping(.union, to: "friends"))
        #expect(blake.friends.map(\.name) == ["Jeff", "Zach"])
    }

    @Test(.parity("M227")) func unionAppendsToADistinctArray() throws {
        var mapping = ObjectMapping(table: Holder<DistinctArray<User>>.properties)
        mapping.add(RelationshipMapping("friends", to: "value", assignment: .union))
        let jeff = User(userID: 2, name: "Jeff")
        let plan = try MappingCompiler().compile(mapping)
        var report = MappingReport()
        var holder = Holder<DistinctArray<User>>(value: [jeff])
        for _ in 1...2 {
            holder = try plan.object(
                updating: holder, from: Document(parsing: zach).root, report: &report)
        }
        #expect(holder.value?.map(\.name) == ["Jeff", "Zach"])
        #expect(holder.value?.first === jeff)
    }

    @Test(.parity("M229")) func unionWithNothingIsWhatArrives() throws {
        let found = try map(User.self, zach, with: mapping(.union, to: "friends"))
        #expect(found.first?.friends.map(\.name) == ["Zach"])
    }

    @Test(.parity("M230")) func replaceIsSetForPlainObjects() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2, name: "Jeff")]
        try fill(blake, zach, with: mapping(.replace, to: "friends"))
        #expect(blake.friends.map(\.name) == ["Zach"])
    }

    @Test func unionWithAMissingListAddsNothing() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2, name: "Jeff")]
        var mapping = mapping(.union, to: "friends")
        mapping.assignsNilForMissingRelationships = true
        try fill(blake, #"{"id":1}"#, with: mapping)
        #expect(blake.friends.map(\.name) == ["Jeff"])
    }

    @Test func aDestinationOfAnotherKindLearnsWhatIsDeclaredForWhatItHas() throws {
        struct Asking: MappingDestination {
            var policies: [AssignmentPolicy] = []
            var missing: [Int] = []

            mutating func assign(
                _ property: Int, from source: MappingSource
            ) throws(MappingFailure) {
                if source.isMissing { missing.append(property) }
                policies.append(source.assignment)
            }
        }
        var mapping = mapping(.replace, to: "friends")
        mapping.assignsNilForMissingRelationships = true
        let plan = try MappingCompiler().compile(mapping)
        for (json, missing) in [(zach, []), (#"{"id":1}"#, [8])] {
            var report = MappingReport()
            let asking = try plan.run(Document(parsing: json).root, report: &report) {
                source throws(MappingFailure) in
                var asking = Asking()
                try source.walk(into: &asking)
                return asking
            }
            #expect(asking.policies == [.set, .replace])
            #expect(asking.missing == missing)
        }
    }
}
