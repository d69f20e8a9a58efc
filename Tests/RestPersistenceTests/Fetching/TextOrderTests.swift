// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Orders of texts by numbers in them, and by the rules of a locale.
@Suite struct TextOrderTests {
    private func names(
        _ names: [String], _ ordering: FetchOrdering<City>, isSaved: Bool
    ) async throws -> [String] {
        let files = try TemporaryStore()
        let store = try await files.open()
        return try await store.perform { context in
            for name in names.reversed() { try context.insert(City.self).name = name }
            if isSaved { try context.save() }
            defer { context.rollback() }
            return try context.fetch(City.self, where: { _ in .all }, orderBy: [ordering]).map(
                \.name)
        }
    }

    @Test(arguments: [false, true])
    func ordersNumbersInTexts(isSaved: Bool) async throws {
        let sorted = [
            "", "File11", "a", "a1", "a1b", "a01c", "a2", "a10", "a10b", "a99999999999999999999999",
            "ab", "file2", "file10", "v1.2", "v1.10",
        ]
        #expect(try await names(sorted, .ascending(\.name, .numeric), isSaved: isSaved) == sorted)
        #expect(
            try await names(sorted, .descending(\.name, .numeric), isSaved: isSaved)
                == sorted.reversed())
    }

    @Test(arguments: [false, true])
    func combinesNumbersWithFolding(isSaved: Bool) async throws {
        let sorted = ["file2", "FILE3", "File10", "f\u{EE}le11"]
        let ordering = FetchOrdering<City>.ascending(
            \.name, [.numeric, .caseInsensitive, .diacriticInsensitive])
        #expect(try await names(sorted, ordering, isSaved: isSaved) == sorted)
    }

    @Test(arguments: [false, true])
    func followsLocale(isSaved: Bool) async throws {
        let swedish = ["a2", "a10", "b", "\u{F6}l", "z"]
        func order(_ locale: String) async throws -> [String] {
            try await names(
                swedish,
                .ascending(
                    [.numeric, .caseInsensitive], locale: Locale(identifier: locale),
                    by: { $0.name }), isSaved: isSaved)
        }
        #expect(try await order("sv") == ["a2", "a10", "b", "z", "\u{F6}l"])
        #expect(try await order("de") == ["a2", "a10", "b", "\u{F6}l", "z"])
    }

    @Test func connectionKeepsOrders() async throws {
        let files = try TemporaryStore()
        let store = try await files.open()
        try await store.perform { context in
            for name in ["z", "\u{F6}"] { try context.insert(City.self).name = name }
            try context.save()
            for locale in ["sv", "de", "sv"] {
                let found = try context.fetch(
                    City.self, where: { _ in .all },
                    orderBy: [.ascending(\.name, locale: Locale(identifier: locale))])
                #expect(found.map(\.name) == (locale == "sv" ? ["z", "\u{F6}"] : ["\u{F6}", "z"]))
            }
        }
    }

    @Test func refusesOrdersThatHaveNoMeaning() async throws {
        let files = try TemporaryStore()
        let store = try await files.open()
        try await store.perform { context in
            let requests = [
                FetchRequest("City", orderBy: [.ascending("population", .numeric)]),
                FetchRequest(
                    "City", orderBy: [.ascending("population", locale: Locale(identifier: "sv"))]),
                FetchRequest("City", where: .text("name", .contains, "1", .numeric)),
            ]
            for request in requests {
                let error = #expect(throws: PersistenceError.self) { try context.fetch(request) }
                #expect(error?.code == .invalidPredicate)
            }
        }
    }
}
