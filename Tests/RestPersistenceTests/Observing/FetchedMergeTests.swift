// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// The changes that results follow by keys, instead of fetching all objects again.
@MainActor @Suite struct FetchedMergeTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Waits until results have followed a change of their own, which comes after all others.
    private func settle(_ results: FetchedResults<Airline>, _ store: ManagedObjectStore)
        async throws
    {
        let code = "settled \(UUID())"
        try await store.insertAirline(code)
        while !results.objects.contains(where: { $0.code == code }) { await Task.yield() }
    }

    @Test func otherTablesCostNoFetch() async throws {
        let store = try await files.open()
        try await store.insertAirlines(["SK", "LH"])
        let context = store.mainContext
        let results = try FetchedResults(Airline.self, orderBy: [.ascending(\.code)], in: context)
        // Commits of others, edits, saves and discarded edits of other entities.
        try await store.write { try $0.insert(City.self).name = "Oslo" }
        let city = try context.insert(City.self)
        city.name = "Bergen"
        try await context.save()
        city.population = 5
        await Task.yield()
        context.rollback()
        try await settle(results, store)
        #expect(results.fetchCount == 1)
        #expect(results.objects.prefix(2).map(\.code) == ["LH", "SK"])
    }

    @Test func ownTableIsMergedByKeys() async throws {
        let store = try await files.open()
        try await store.insertAirlines((100..<400).map(String.init))
        let context = store.mainContext
        let results = try FetchedResults(
            Airline.self, where: { $0.alliance != .star }, orderBy: [.descending(\.code)],
            in: context)
        #expect(results.objects.count == 300)
        results.objects[0].code = "000"
        results.objects[7].alliance = .star
        try await settle(results, store)
        #expect(results.objects.map(\.code).filter { $0.count == 3 }.last == "000")
        #expect(results.objects.count == 300)
        try await context.save()
        let id = results.objects[100].objectID
        try await store.write { try $0.object(Airline.self, with: id).code = "999" }
        // The object has its value before the results have their order.
        try await settle(results, store)
        #expect(results.objects.last { $0.code.count == 3 }?.code == "000")
        #expect(results.objects.first { $0.code.count == 3 }?.objectID == id)
        #expect(results.fetchCount == 1)
        let all = try context.fetch(results.request)
        #expect(results.objects.map(\.objectID) == all.map(\.objectID))
    }

    @Test func relatedTablesOfPredicateCount() async throws {
        let store = try await files.open()
        let id = try await store.write { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Oslo")
            let city = try context.insert(City.self)
            city.name = "Oslo"
            airport.city = city
            return city.objectID
        }
        let results = try FetchedResults(
            Airport.self, where: { $0.city.name == "Oslo" }, in: store.mainContext)
        #expect(results.objects.count == 1)
        try await store.write { try $0.object(City.self, with: id).name = "Kristiania" }
        while !results.objects.isEmpty { await Task.yield() }
        #expect(results.fetchCount == 2)
    }

    @Test func deletedDestinationIsUpdate() async throws {
        let store = try await files.open()
        let context = store.mainContext
        let city = try context.insert(City.self)
        city.name = "Oslo"
        let airport = try context.insert(Airport.self)
        (airport.code, airport.name, airport.city) = ("OSL", "Oslo", city)
        try await context.save()
        let results = try FetchedResults(Airport.self, in: context)
        var updates = 0
        results.onChange = { updates += $0.updated.count }
        context.delete(city)
        while updates == 0 { await Task.yield() }
        #expect(results.objects[0].city == nil)
        context.rollback()
        while updates == 1 { await Task.yield() }
        #expect(results.objects[0].city == city)
    }

    // MARK: Random changes

    /// A request of airlines.
    private enum Request: CaseIterable {
        case all, ordered, filtered, folded, limited, related

        @MainActor func results(
            in context: ManagedObjectContext
        ) throws -> FetchedResults<Airline> {
            switch self {
            case .all: try FetchedResults(Airline.self, in: context)
            case .ordered:
                try FetchedResults(
                    Airline.self, orderBy: [.descending(\.alliance), .ascending(\.code)],
                    in: context)
            case .filtered:
                try FetchedResults(
                    Airline.self, where: { $0.alliance == .star || $0.code.hasPrefix("b") },
                    orderBy: [.ascending(\.alliance)], in: context)
            case .folded:
                try FetchedResults(
                    Airline.self, where: { $0.code.contains("a", [.caseInsensitive]) },
                    orderBy: [.ascending(\.code, [.caseInsensitive])], in: context)
            case .limited:
                try FetchedResults(
                    Airline.self, orderBy: [.ascending(\.code)], limit: 5, in: context)
            case .related:
                try FetchedResults(
                    Airline.self, where: { !$0.terminals.any { $0.number > 3 } },
                    orderBy: [.ascending(\.code)],
                    in: context)
            }
        }
    }

    @Test(arguments: 0..<2, Request.allCases)
    private func mergedResultsEqualFetchedOnes(seed: UInt64, request: Request) async throws {
        let store = try await files.open()
        let context = store.mainContext
        var random = SeededGenerator(state: seed)
        try await store.insertAirlines((0..<60).map { "\($0 % 2 == 0 ? "a" : "B")\($0)" })
        let results = try request.results(in: context)
        var shown = results.objects.map(\.objectID)
        results.onChange = { difference in
            shown = Self.apply(difference, to: shown, results.objects.map(\.objectID))
        }
        for step in 0..<60 {
            try await change(store, &random, step)
            for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
            if step % 5 != 0 { continue }
            // All changes of the main actor and of others have been followed after a refresh.
            results.refresh()
            let fetched = try context.fetch(results.request).map(\.objectID)
            #expect(results.objects.map(\.objectID) == fetched, "step \(step)")
            #expect(shown == fetched, "step \(step)")
        }
    }

    @Test(.timeLimit(.hang), arguments: 0..<3, [Request.all, .ordered, .filtered, .folded])
    private func mergesAloneEqualFetches(seed: UInt64, request: Request) async throws {
        let store = try await files.open()
        let context = store.mainContext
        var random = SeededGenerator(state: seed &+ 100)
        try await store.insertAirlines((0..<60).map { "\($0 % 2 == 0 ? "a" : "B")\($0)" })
        let results = try request.results(in: context)
        var shown = results.objects.map(\.objectID)
        results.onChange = { difference in
            shown = Self.apply(difference, to: shown, results.objects.map(\.objectID))
        }
        for step in 0..<40 {
            try await change(store, &random, step)
            let fetched = try context.fetch(results.request).map(\.objectID)
            // Until the results have followed the last commit, and their observer them.
            while results.objects.map(\.objectID) != fetched { await Task.yield() }
            #expect(shown == fetched, "step \(step)")
        }
    }

    /// Changes objects at random, in the main context or in another one.
    private func change(
        _ store: ManagedObjectStore, _ random: inout SeededGenerator, _ step: Int
    ) async throws {
        let context = store.mainContext
        let airlines = try context.fetch(Airline.self)
        guard let airline = airlines.randomElement(using: &random) else { return }
        let code = "\(["a", "B", "Ä"].randomElement(using: &random) ?? "")\(step)"
        let (id, isStar) = (airline.objectID, Bool.random(using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: airline.code = code
        case 1: airline.alliance = isStar ? .star : nil
        case 2: context.delete(airline)
        case 3: try context.insert(Airline.self).code = code
        case 4: _ = try? await context.save()
        case 5: context.rollback()
        case 6:
            try? await store.write { context in
                try context.object(Airline.self, with: id).alliance = isStar ? .oneworld : .star
            }
        case 7:
            try? await store.write { try $0.object(Airline.self, with: id).code = code + "x" }
        case 8: try? await store.write { $0.delete(try $0.object(with: id)) }
        default:
            try? await store.write { context in
                let terminal = try context.insert(Terminal.self)
                terminal.number = step
                terminal.airlines = [try context.object(Airline.self, with: id)]
                try context.insert(Airline.self).code = code + "y"
            }
        }
        if case 9 = step % 10 { context.rollback() }
    }

    /// Applies a difference to a result, as a table view does; moved and inserted elements are those of the new
    /// result.
    private static func apply(
        _ difference: ResultDifference, to old: [ManagedObjectID], _ new: [ManagedObjectID]
    ) -> [ManagedObjectID] {
        var result = old
        let gone = difference.removed + difference.moved.map(\.source)
        for offset in gone.sorted().reversed() { result.remove(at: offset) }
        var elements: [Int: ManagedObjectID] = [:]
        for offset in difference.inserted { elements[offset] = new[offset] }
        for move in difference.moved { elements[move.destination] = old[move.source] }
        for (offset, id) in elements.sorted(by: { $0.key < $1.key }) {
            result.insert(id, at: min(offset, result.count))
        }
        return result
    }
}
