// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Lists whose owner and members arrive in documents of their own.
@Suite struct ArrivalOrderTests {
    private static let entities = [
        EntityDescription(
            "Region", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toMany(
                    "locations", "Location", inverse: "region", isOrdered: true,
                    sourceKey: "location_ids", reference: ReferenceDescription(by: "id")),
                .toMany(
                    "routes", "Location", inverse: "routers", isOrdered: true,
                    sourceKey: "route_ids", reference: ReferenceDescription(by: "id")),
            ]),
        EntityDescription(
            "Location", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toOne(
                    "region", "Region", inverse: "locations", sourceKey: "region_id",
                    reference: ReferenceDescription(by: "id")),
                .toMany(
                    "routers", "Region", inverse: "routes", sourceKey: "router_ids",
                    reference: ReferenceDescription(by: "id")),
            ]),
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns the numbers of the members of a list.
    private static func members(
        of region: Int, _ relationship: String = "locations", in context: ManagedObjectContext
    ) throws -> [Int] {
        for object in try context.fetch(FetchRequest("Region"))
        where try object.value("id", as: Int.self) == region {
            return try object.related(relationship).map { try $0.value("id", as: Int.self) }
        }
        return []
    }

    private func members(of region: Int, in store: ManagedObjectStore) async throws -> [Int] {
        try await store.read { try Self.members(of: region, in: $0) }
    }

    /// The list decides, whether its members name their owner or not.
    @Test func orderIsThatOfListWhateverArrivesFirst() async throws {
        for seed in 0..<40 {
            var generator = SeededGenerator(state: UInt64(seed))
            let files = try TemporaryStore()
            let store = try await files.open(Self.entities)
            let plans = try ["Region", "Location"].map { entity in
                try EntityMappingPlan(
                    EntityMapping(
                        ObjectMapping(defaultFor: try #require(store.model.properties(of: entity)))),
                    in: store.model)
            }
            let list = [1, 2, 3, 4].shuffled(using: &generator)
            let route = [1, 2, 3, 4].shuffled(using: &generator)
            let region = #"{"id": 7, "location_ids": \#(list), "route_ids": \#(route)}"#
            var documents = [(0, region)]
            for number in 1...4 {
                let owner = Bool.random(using: &generator) ? #", "region_id": 7"# : ""
                let routers = Bool.random(using: &generator) ? #", "router_ids": [7]"# : ""
                documents.append((1, #"{"id": \#(number)\#(owner)\#(routers)}"#))
            }
            documents.shuffle(using: &generator)
            let saves = documents.map { _ in Bool.random(using: &generator) }
            let imports = try documents.map { (plans[$0.0], try Document(parsing: $0.1)) }
            let found = try await store.perform { context in
                for (index, (plan, document)) in imports.enumerated() {
                    _ = try context.importObjects(from: document.root, by: plan)
                    if saves[index] { try context.save() }
                }
                try context.save()
                return try ["locations", "routes"].map {
                    try Self.members(of: 7, $0, in: context)
                }
            }
            #expect(found == [list, route], "seed \(seed): \(documents), saved after \(saves)")
            let stored = try await store.read { context in
                try ["locations", "routes"].map { try Self.members(of: 7, $0, in: context) }
            }
            #expect(stored == [list, route], "seed \(seed)")
        }
    }

    @Test(arguments: [
        ["R", "3", "1", "2"], ["3", "1", "2", "R"], ["3", "R", "1", "2"], ["1", "3", "R", "2"],
    ])
    func membersThatNameOwnerTakePlaceInList(order: [String]) async throws {
        let store = try await files.open(Self.entities)
        for name in order {
            if name == "R" {
                try await store.load("Region", #"{"id": 7, "location_ids": [1, 2, 3]}"#)
            } else {
                try await store.load("Location", #"{"id": \#(name), "region_id": 7}"#)
            }
        }
        #expect(try await members(of: 7, in: store) == [1, 2, 3])
    }

    /// A member whose own document names another owner is the last of that one's list.
    @Test(arguments: [false, true])
    func movedMemberIsLast(isUnsaved: Bool) async throws {
        let store = try await files.open(Self.entities)
        try await store.load("Location", "[1, 2, 11, 12, 13]".asLocations)
        try await store.load(
            "Region",
            #"[{"id": 1, "location_ids": [1, 2]}, {"id": 2, "location_ids": [11, 12, 13]}]"#)
        if isUnsaved {
            let plan = try EntityMappingPlan(
                EntityMapping(
                    ObjectMapping(defaultFor: try #require(store.model.properties(of: "Location")))),
                in: store.model)
            let document = try Document(parsing: #"{"id": 2, "region_id": 2}"#)
            let found = try await store.perform { context in
                _ = try context.importObjects(from: document.root, by: plan)
                let found = try Self.members(of: 2, in: context)
                try context.save()
                return found
            }
            #expect(found == [11, 12, 13, 2])
        } else {
            try await store.load("Location", #"{"id": 2, "region_id": 2}"#)
        }
        #expect(try await members(of: 1, in: store) == [1])
        #expect(try await members(of: 2, in: store) == [11, 12, 13, 2])
        // A document that says the same again moves nothing.
        try await store.load("Location", #"{"id": 12, "region_id": 2}"#)
        #expect(try await members(of: 2, in: store) == [11, 12, 13, 2])
    }

    /// So is one whose owner a program sets.
    @Test func memberThatProgramMovesIsLast() async throws {
        let store = try await files.open(Self.entities)
        try await store.load("Location", "[1, 2, 11, 12, 13]".asLocations)
        try await store.load(
            "Region",
            #"[{"id": 1, "location_ids": [1, 2]}, {"id": 2, "location_ids": [11, 12, 13]}]"#)
        let found = try await store.write { context in
            let location = try #require(
                try context.fetch(FetchRequest("Location", where: .attribute("id", .equal, 1)))
                    .first)
            let region = try context.fetch(
                FetchRequest("Region", where: .attribute("id", .equal, 2)))
            try location.setRelated("region", region)
            return try [1, 2].map { try Self.members(of: $0, in: context) }
        }
        #expect(found == [[2], [11, 12, 13, 1]])
        #expect(try await members(of: 1, in: store) == [2])
        #expect(try await members(of: 2, in: store) == [11, 12, 13, 1])
    }

    @Test func firstOfSeveralPlacesCounts() async throws {
        let store = try await files.open(Self.entities)
        try await store.load("Location", "[1, 2, 3]".asLocations)
        try await store.load(
            "Region", #"{"id": 7, "location_ids": [1, 2, 3, 1], "route_ids": [1, 2, 3, 1]}"#)
        let found = try await store.read { context in
            try ["locations", "routes"].map { try Self.members(of: 7, $0, in: context) }
        }
        #expect(found == [[1, 2, 3], [1, 2, 3]])
    }

    // MARK: Several owners

    /// The newer of two lists keeps the location that both have, whenever it arrives.
    @Test(arguments: [["10", "20", "T"], ["T", "10", "20"], ["10", "T", "20"]], [false, true])
    func newerOwnerKeepsMember(order: [String], savesBetween: Bool) async throws {
        let store = try await files.open(Self.entities)
        let plans = try ["Region", "Location"].map { entity in
            try EntityMappingPlan(
                EntityMapping(
                    ObjectMapping(defaultFor: try #require(store.model.properties(of: entity)))),
                in: store.model)
        }
        let imports = try order.map { name in
            name == "T"
                ? (plans[1], try Document(parsing: #"{"id": 1}"#))
                : (plans[0], try Document(parsing: #"{"id": \#(name), "location_ids": [1]}"#))
        }
        try await store.perform { context in
            for (plan, document) in imports {
                _ = try context.importObjects(from: document.root, by: plan)
                if savesBetween { try context.save() }
            }
            try context.save()
            #expect(try context.pendingReferences(ofEntity: "Region").isEmpty)
        }
        #expect(try await members(of: 10, in: store) == [])
        #expect(try await members(of: 20, in: store) == [1])
    }

    /// An owner that lists the missing location again has it.
    @Test func renewedReferenceIsNewest() async throws {
        let store = try await files.open(Self.entities)
        for region in [10, 20, 10] {
            try await store.load("Region", #"{"id": \#(region), "location_ids": [1]}"#)
        }
        #expect(try files.rows("SELECT count(*) FROM restkit_pending") == [["1"]])
        try await store.load("Location", #"{"id": 1}"#)
        #expect(try await members(of: 10, in: store) == [1])
    }

    // MARK: Programs

    @Test(arguments: [false, true])
    func settingRelationshipRemovesWaitingReferences(isUnsaved: Bool) async throws {
        let store = try await files.open(Self.entities)
        try await store.load("Location", #"{"id": 5, "region_id": 9, "router_ids": [9]}"#)
        try await store.load("Region", #"{"id": 8, "location_ids": [6]}"#)
        try await store.perform { context in
            let location = try context.fetch(FetchRequest("Location"))[0]
            let region = try context.fetch(FetchRequest("Region"))[0]
            #expect(!context.hasChanges)
            try location.setRelated("region", [])
            #expect(context.hasChanges)
            try location.setRelated("routers", [])
            try region.setRelated("locations", [])
            #expect(try context.pendingReferences(ofEntity: "Location").isEmpty)
            #expect(try context.pendingReferences(ofEntity: "Region").isEmpty)
            if isUnsaved {
                let child = context.child()
                #expect(try child.pendingReferences(ofEntity: "Location").isEmpty)
            }
            try context.save()
            try location.setRelated("region", [])
            #expect(!context.hasChanges)
        }
        try await store.load("Region", #"{"id": 9}"#)
        try await store.load("Location", #"{"id": 6}"#)
        #expect(try await members(of: 9, in: store) == [])
        #expect(try await members(of: 8, in: store) == [])
        let routes = try await store.read { try Self.members(of: 9, "routes", in: $0) }
        #expect(routes == [])
    }
}

extension String {
    /// A list of numbers as a list of locations.
    fileprivate var asLocations: String {
        let numbers = dropFirst().dropLast().split(separator: ", ")
        return "[" + numbers.map { #"{"id": \#($0)}"# }.joined(separator: ", ") + "]"
    }
}
