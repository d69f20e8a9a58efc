// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestMapping
import RestPersistence
import TestSupport
import Testing

struct ParcelAddress: JSONAttributeValue, Equatable {
    var street: String
    var number: Int
    var height: Double?
    var isHome: Bool
    var lines: [String]
    var place: Place?
    var sentAt: Date?

    struct Place: Codable, Equatable, Sendable {
        var city: String
    }
}

@Entity private final class Parcel: ManagedObject {
    @Identity var id: Int
    var isOpen: Bool = false
    var isUrgent: Bool?
    var title: String?
    var tags: [String] = []
    var sizes: Set<Int> = []
    var serials: [UInt64]?
    var prices: [Decimal] = []
    var dates: [Date] = []
    var chunks: [Data] = []
    var grid: [[Int]] = []
    var scores: [String: Double] = [:]
    var limits: [String: Decimal]?
    var address: ParcelAddress?
    var depot: Depot?
}

@Entity private final class Depot: ManagedObject {
    @Identity var id: Int
    var isOpen: Bool = false
    var tags: [String] = []
    @Inverse(\Parcel.depot) var parcels: Set<Parcel>
    @Inverse(\Gate.depot) var gates: Set<Gate>
}

@Entity private final class Gate: ManagedObject {
    @Identity var id: Int
    var tags: [String] = []
    var depot: Depot?
}

/// Predicates with Boolean attributes, lists of values, elements of arrays and members of JSON select the
/// same objects from saved rows and from unsaved changes.
@Suite struct FetchElementsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func fill(_ context: ManagedObjectContext) throws {
        let date = Date(timeIntervalSince1970: 1_000)
        let first = try Parcel.insert(
            into: context, id: 1, isOpen: true, isUrgent: true, title: "Books",
            tags: ["red", "heavy"], sizes: [1, 5], serials: [.max, 7], prices: [9.5, 10],
            dates: [date], chunks: [Data([1, 2])], grid: [[1], [2, 3]],
            scores: ["a b": 2.5, "c.d": 1], limits: ["x": 9.5],
            address: ParcelAddress(
                street: "Karl Johans gate", number: 22, height: 1.5, isHome: true,
                lines: ["left", "2"], place: ParcelAddress.Place(city: "Oslo"), sentAt: date))
        let second = try Parcel.insert(
            into: context, id: 2, isUrgent: false, title: "Toys", tags: ["blue"], sizes: [5],
            serials: [], prices: [-3], scores: ["a b": -1], limits: ["x": 10],
            address: ParcelAddress(street: "22", number: 5, isHome: false, lines: []))
        let third = try Parcel.insert(into: context, id: 3, isOpen: true)
        let depot = try Depot.insert(into: context, id: 1, isOpen: true, tags: ["red", "Toys"])
        let other = try Depot.insert(into: context, id: 2, tags: ["blue"])
        first.depot = depot
        second.depot = depot
        third.depot = other
        try Gate.insert(into: context, id: 1, tags: ["red"], depot: depot)
        try Gate.insert(into: context, id: 2, tags: ["green"], depot: other)
    }

    private typealias Predicate = @Sendable (FetchSubject<Parcel>) -> FetchPredicate

    private func check(_ isSaved: Bool, _ examples: [(expected: [Int], Predicate)]) async throws {
        let store = try await ManagedObjectStore(
            at: files.file, entities: Parcel.self, Depot.self, Gate.self)
        try await store.perform { context in
            try Self.fill(context)
            if isSaved { try context.save() }
            for (index, (expected, predicate)) in examples.enumerated() {
                let found = try context.fetch(Parcel.self, where: predicate, orderBy: \.id)
                #expect(found.map(\.id) == expected, "example \(index)")
                let others = try context.fetch(
                    Parcel.self, where: { !predicate($0) }, orderBy: \.id)
                #expect(
                    others.map(\.id) == [1, 2, 3].filter { !expected.contains($0) },
                    "negation of example \(index)")
            }
            context.rollback()
        }
    }

    @Test(arguments: [false, true])
    func booleanAttributesArePredicates(isSaved: Bool) async throws {
        try await check(
            isSaved,
            [
                ([1, 3], { $0.isOpen }), ([2], { !$0.isOpen }), ([1], { $0.isUrgent == true }),
                ([3], { $0.isOpen && $0.isUrgent == nil }), ([1, 2], { $0.depot.isOpen }),
                ([1, 2], { $0.depot.parcels.count { $0.isOpen } == 1 && $0.depot.isOpen }),
                ([3], { !$0.depot.isOpen }), ([1, 3], { $0.isOpen == true }),
                ([3], { $0.depot.parcels.all { $0.isOpen } }),
                ([1, 2], { $0.depot.parcels.any { !$0.isOpen } }),
            ])
    }

    @Test(arguments: [false, true])
    func listsContainAttributes(isSaved: Bool) async throws {
        let titles = ["Books", "Pens"]
        try await check(
            isSaved,
            [
                ([1], { ["Books"].contains($0.title) }), ([1], { titles.contains($0.title) }),
                ([1], { $0.title.isIn(titles) }), ([1, 3], { $0.title.isIn(["Books", nil]) }),
                ([1, 3], { ["Books", nil].contains($0.title) }),
                ([2, 3], { [2, 3, 4].contains($0.id) }), ([2, 3], { (2...3).contains($0.id) }),
                ([1, 2], { (1..<3).contains($0.id) }), ([], { (5...9).contains($0.depot.id) }),
            ])
    }

    @Test func listsContainObjects() async throws {
        let store = try await ManagedObjectStore(
            at: files.file, entities: Parcel.self, Depot.self, Gate.self)
        try await store.perform { context in
            try Self.fill(context)
            let depots = try context.fetch(Depot.self, where: { $0.id == 1 })
            let ids = depots.map(\.objectID)
            #expect(try context.count(Parcel.self, where: { depots.contains($0.depot) }) == 2)
            #expect(try context.count(Parcel.self, where: { ids.contains($0.depot) }) == 2)
            #expect(try context.count(Depot.self, where: { depots.contains($0) }) == 1)
            context.rollback()
        }
    }

    @Test(arguments: [false, true])
    func comparesElementsOfArrays(isSaved: Bool) async throws {
        let date = Date(timeIntervalSince1970: 1_000)
        try await check(
            isSaved,
            [
                ([1], { $0.tags.contains("red") }), ([1, 2], { $0.sizes.contains(5) }),
                ([1], { $0.tags.count == 2 }), ([3], { $0.tags.isEmpty }),
                ([1], { $0.tags.any { $0.hasPrefix("he") } }),
                ([1], { $0.tags.any { $0.hasPrefix("HE", .caseInsensitive) } }),
                ([2, 3], { $0.tags.all { $0 == "blue" } }),
                ([1, 3], { $0.tags.none { $0 == "blue" } }),
                ([1], { $0.serials.contains(.max) }), ([1], { $0.serials.any { $0 > 1_000 } }),
                ([2], { $0.serials.isEmpty }), ([3], { $0.serials == nil }),
                ([1], { $0.prices.any { $0 > 9.75 } }), ([1, 2], { $0.prices.any { $0 < 10 } }),
                ([1], { $0.prices.contains(9.5) }), ([1], { $0.dates.contains(date) }),
                ([1], { $0.dates.any { $0 > .distantPast } }),
                ([1], { $0.chunks.contains(Data([1, 2])) }),
                ([1], { $0.grid.contains([2, 3]) }), ([1], { $0.grid.any { $0.contains(3) } }),
                ([1, 2], { $0.depot.tags.contains("red") }),
                // An element, and an attribute of the object or of a destination.
                ([2], { parcel in parcel.depot.tags.any { $0.optional == parcel.title } }),
                (
                    [1, 2, 3],
                    { parcel in
                        parcel.depot.parcels.any { other in other.tags.any { _ in parcel.id > 0 } }
                            || parcel.id == 3
                    }
                ),
            ])
    }

    @Test(arguments: [false, true])
    func comparesMembersOfJSON(isSaved: Bool) async throws {
        try await check(
            isSaved,
            [
                ([1], { $0.scores["a b"] > 0 }), ([1], { $0.scores["c.d"] == 1 }),
                ([2, 3], { $0.scores["c.d"] == nil }), ([2], { $0.limits["x"] > 9.75 }),
                ([1], { $0.address.member("street") == "Karl Johans gate" }),
                ([2], { $0.address.member("number") < 10 }),
                ([1], { $0.address.member("height") == 1.5 }),
                ([1], { $0.address.member("isHome") == true }),
                ([1], { $0.address.member("place.city", as: String.self).hasPrefix("Os") }),
                ([2, 3], { $0.address.member("place.city", as: String?.self) == nil }),
                ([1], { $0.address.member("lines", as: [String].self).contains("2") }),
                // The member has another type.
                ([], { $0.address.member("street") == 22 }),
                ([], { $0.address.member("number") == "22" }),
                ([1], { _ in .member("number", of: "address", .equal, 22) }),
                ([1], { _ in .contains("heavy", in: "tags") }),
                ([1, 2], { _ in .contains("red", in: "depot.tags") }),
            ])
    }

    /// Each placeholder is that of its own closure, also beside another closure at the same depth.
    @Test(arguments: [false, true])
    func nestsClosuresOverSiblings(isSaved: Bool) async throws {
        try await check(
            isSaved,
            [
                (
                    [1, 2],
                    { parcel in
                        parcel.depot.parcels.any { other in
                            parcel.depot.gates.any { gate in gate.id == 1 && other.id == 2 }
                        }
                    }
                ),
                (
                    [1, 2],
                    { parcel in
                        parcel.depot.tags.any { tag in
                            parcel.depot.gates.any { gate in gate.tags.any { $0 == tag } }
                        }
                    }
                ),
            ])
    }

    @Test func ordersAndReadsMembers() async throws {
        let store = try await ManagedObjectStore(
            at: files.file, entities: Parcel.self, Depot.self, Gate.self)
        try await store.perform { context in
            try Self.fill(context)
            try context.save()
            let rows = try context.fetchValues(
                of: Parcel.self, { ($0.id, $0.address.member("number", as: Int?.self)) },
                orderBy: [.descending { $0.tags.count }, .ascending(\.id)])
            #expect(rows.map(\.0) == [1, 2, 3])
            #expect(rows.map(\.1) == [22, 5, nil])
        }
    }

    @Test func refusesMembersWhoseFormIsUnknown() async throws {
        let store = try await ManagedObjectStore(
            at: files.file, entities: Parcel.self, Depot.self, Gate.self)
        try await store.perform { context in
            let predicates: [Predicate] = [
                { $0.address.member("sentAt") > Date.distantPast },
                { $0.address.member("a\"b") == 1 }, { $0.title.member("x") == 1 },
                { _ in .contains("x", in: "title") },
            ]
            for predicate in predicates {
                let error = #expect(throws: PersistenceError.self) {
                    try context.fetch(Parcel.self, where: predicate)
                }
                #expect(error?.code == .invalidPredicate)
                #expect(["address", "title"].contains(error?.property))
            }
        }
    }

    /// Text of another program that is no array has no elements.
    @Test func treatsOtherTextAsWithoutElements() async throws {
        let store = try await ManagedObjectStore(
            at: files.file, entities: Parcel.self, Depot.self, Gate.self)
        try await store.perform { context in
            try Self.fill(context)
            try context.save()
        }
        try files.execute("UPDATE Parcel SET tags = 'red', scores = '[1]' WHERE id = 1")
        try await store.perform { context in
            let counts = try [
                context.count(Parcel.self, where: { $0.tags.contains("red") }),
                context.count(Parcel.self, where: { $0.tags.count == 1 }),
                context.count(Parcel.self, where: { $0.scores["a b"] > 0 }),
            ]
            #expect(counts == [0, 1, 0])
        }
    }
}
#endif
