// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Assignment policies of relationships.
@Suite struct MergeableCollectionTests {
    private func mapping(
        _ assignment: AssignmentPolicy, to property: String
    ) -> ObjectMapping {
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.add(RelationshipMapping("friends", to: property, assignment: assignment))
        return mapping
    }

    private let zach = #"{"id":1,"friends":[{"id":3,"name":"Zach"}]}"#

    @Test(.parity("M225")) func rejectsUnionOfSingleObject() throws {
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.add(RelationshipMapping("address", to: "address", assignment: .union))
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(error?.diagnostics.map(\.code) == [.invalidAssignmentPolicy])
        #expect(error?.description.contains("holds one object, so it cannot be a union") == true)
    }

    @Test(.parity("M226")) func addsToSet() throws {
        let blake = User(userID: 1)
        blake.friendsSet = [User(userID: 2, name: "Jeff")]
        try fill(blake, zach, with: mapping(.union, to: "friendsSet"))
        #expect(blake.friendsSet.compactMap(\.name).sorted() == ["Jeff", "Zach"])
        try fill(blake, zach, with: mapping(.union, to: "friendsSet"))
        #expect(blake.friendsSet.count == 2)
    }

    @Test(.parity("M228")) func appendsToList() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2, name: "Jeff")]
        try fill(blake, zach, with: mapping(.union, to: "friends"))
        #expect(blake.friends.map(\.name) == ["Jeff", "Zach"])
    }

    @Test(.parity("M227")) func appendsToDistinctArray() throws {
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

    @Test(.parity("M229")) func assignsUnionWithoutCurrentValue() throws {
        let found = try map(User.self, zach, with: mapping(.union, to: "friends"))
        #expect(found.first?.friends.map(\.name) == ["Zach"])
    }

    @Test(.parity("M230")) func treatsReplaceAsSetForPlainObjects() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2, name: "Jeff")]
        try fill(blake, zach, with: mapping(.replace, to: "friends"))
        #expect(blake.friends.map(\.name) == ["Zach"])
    }

    @Test func addsNothingForMissingList() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2, name: "Jeff")]
        var mapping = mapping(.union, to: "friends")
        mapping.assignsNilForMissingRelationships = true
        try fill(blake, #"{"id":1}"#, with: mapping)
        #expect(blake.friends.map(\.name) == ["Jeff"])
    }

    @Test func exposesAssignmentPolicyToCustomDestination() throws {
        struct PolicyRecorder: MappingDestination {
            var policies: [AssignmentPolicy] = []
            var missing: [Int] = []

            mutating func assign(
                _ property: Int, from source: ValueSource
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
            let recorder = try plan.run(Document(parsing: json).root, report: &report) {
                source throws(MappingFailure) in
                var recorder = PolicyRecorder()
                try source.walk(into: &recorder)
                return recorder
            }
            #expect(recorder.policies == [.set, .replace])
            #expect(recorder.missing == missing)
        }
    }
}
