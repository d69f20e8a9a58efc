// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingCompilerTests {
    /// Related objects of a default mapping are converted by their own options.
    @Test func compilesRelationshipsOfDefaultMappings() throws {
        var branch = ObjectMapping(for: Branch.self, ["id"])
        branch.conversion = .strict
        branch.add(RelationshipMapping(try SourcePath(parsing: "leaf"), to: "leaf"))
        branch.add(
            RelationshipMapping(
                try SourcePath(parsing: "leaves"), to: "leaves",
                mapping: .object(ObjectMapping(for: Leaf.self, ["name"]))))
        branch.add(RelationshipMapping(try SourcePath(parsing: "parent"), to: "parent"))
        let root = ObjectMapping(for: Branch.self) {
            attribute("id", to: \.id)
            relationship("up", to: \.parent)
        }
        let plan = try MappingCompiler(defaults: [branch]).compile(root)
        let document: Document = [
            "id": "1",
            "up": [
                "id": 2, "leaf": ["name": "a", "count": "7"], "leaves": [["name": "b"]],
                "parent": ["id": 3, "leaves": [["name": "c"]]],
            ],
        ]
        var report = MappingReport()
        let found = try plan.object(Branch.self, from: document.root, report: &report)
        #expect(found.id == 1)
        #expect(found.parent?.leaf?.name == "a")
        #expect(found.parent?.leaf?.count == nil)
        #expect(report.issues.map(\.path.description) == ["up.leaf.count"])
        #expect(found.parent?.leaves.map(\.name) == ["b"])
        #expect(found.parent?.parent?.leaves.map(\.name) == ["c"])
    }

    @Test func namesTypesOfUnknownKeyPaths() throws {
        let mapping = ObjectMapping(for: Leaf.self) {
            attribute("a", to: \.computed)
        }
        let error = #expect(throws: MappingError.self) {
            try MappingCompiler().compile(mapping)
        }
        let text = error?.diagnostics.first?.description ?? ""
        #expect(text.contains("Leaf has no property"))
        #expect(text.contains("<property of type UInt16>"))
        #expect(!text.contains("0x"))
    }

    @Test func reportsAllDiagnosticsWithSuggestions() throws {
        var address = ObjectMapping(table: Address.properties)
        address.add(AttributeMapping("town", to: "citty"))
        var mapping = ObjectMapping(table: Person.properties)
        mapping.add(AttributeMapping("a", to: "nmae"))
        mapping.add(AttributeMapping("b", to: "name"))
        mapping.add(AttributeMapping("c", to: "name"))
        mapping.add(RelationshipMapping("d", to: "mood"))
        mapping.add(RelationshipMapping("e", to: "friends", mapping: address))
        mapping.add(RelationshipMapping("f", to: "address", mapping: address))
        let error = #expect(throws: MappingError.self) {
            try MappingCompiler().compile(mapping)
        }
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.diagnostics.map(\.description) == [
                "Person has no property 'nmae'; did you mean 'name'?",
                "Person.name is mapped more than once",
                "Person.mood does not hold mapped objects",
                "Person.friends does not hold what its mapping builds; did you mean 'Person'?",
                "Address has no property 'citty'; did you mean 'city'?",
            ])
    }

    @Test func compilesEqualPlansFromAllForms() throws {
        let built = ObjectMapping(for: Address.self) {
            attribute("city", to: \.city)
            attribute("zip", to: \.zip)
        }
        let named = ObjectMapping(for: Address.self, ["city": "city", "zip": "zip"])
        let listed = ObjectMapping(for: Address.self, ["city", "zip"])
        let standard = ObjectMapping(for: Address.self)
        let plans = try [built, named, listed, standard].map {
            try MappingCompiler().compile($0).description
        }
        #expect(Set(plans).count == 1)
    }

    @Test func compilesSelfReferencingTypeOnce() throws {
        let plan = try MappingPlan(Person.self)
        #expect(plan.description.contains("friends -> friends #"))
        #expect(plan.description.split(separator: "\n").filter { $0.hasPrefix("#") }.count <= 3)
    }

    @Test func diagnosesUnsuitableTypesAndInvalidSources() throws {
        var mapping = ObjectMapping(table: User.properties)
        mapping.add(
            AttributeMapping("a", to: "name", using: ValueTransform<Int>("number") { _ in 1 }))
        mapping.add(AttributeMapping("b", to: "interests", default: "none"))
        mapping.add(AttributeMapping(SourcePath([.key("a"), .root]), to: "country"))
        mapping.add(AttributeMapping("{nmae}.x", to: "luckyNumber"))
        mapping.add(AttributeMapping("c", to: "friends.name"))
        mapping.add(AttributeMapping("d", to: "address.ctiy"))
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(
            error?.diagnostics.map(\.description) == [
                "User: 'a.@root' is not a valid source: '@root' must come first",
                "User: '{nmae}' names no nesting attribute",
                "User.friends does not hold mapped objects",
                "User.name is of another type than its transform",
                "User.interests is of another type than its default",
                "Home has no property 'ctiy'; did you mean 'city'?",
            ])
    }

    @Test func usesDefaultMappingsForUnnamedRelationships() throws {
        let friend = ObjectMapping(for: User.self, ["n": "name", "f": "friends"])
        let plan = try MappingCompiler(defaults: [friend]).compile(friend)
        let json = #"{"n":"a","f":[{"n":"b","f":[{"n":"c"}]}]}"#
        var report = MappingReport()
        let user = try plan.object(User.self, from: Document(parsing: json).root, report: &report)
        #expect(user.friends.first?.friends.first?.name == "c")
    }
}

extension Leaf {
    fileprivate var computed: UInt16 { 7 }
}
