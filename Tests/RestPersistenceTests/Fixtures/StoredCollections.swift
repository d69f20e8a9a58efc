// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RestPersistence

extension CollectionRequest {
    /// Creates the request for a path of a user.
    static func get(_ path: String, isPaged: Bool = false, user: String = "") -> Self {
        CollectionRequest(
            method: "GET", url: "https://example.org/\(path)", isPaged: isPaged, user: user)
    }
}

extension ManagedObjectStore {
    /// Inserts airlines that do not exist, and stores a collection of all in one transaction.
    @discardableResult
    func store(
        _ codes: [String], as request: CollectionRequest, at seconds: TimeInterval = 0,
        walk: Int64 = 1, extent: CollectionResponse.Extent = .whole(isComplete: true),
        _ configure: @escaping @Sendable (inout CollectionFacts) -> Void = { _ in }
    ) async throws -> [ManagedObjectID] {
        try await write { context in
            let ids = try codes.map { code in
                let known = try context.first(Airline.self, where: { $0.code == code })
                if let known { return known.objectID }
                let airline = try context.insert(Airline.self)
                airline.code = code
                return airline.objectID
            }
            var facts = CollectionFacts()
            facts.version = "1"
            facts.walk = CollectionWalk(id: walk)
            configure(&facts)
            context.record(
                .fetched(
                    CollectionResponse(
                        request, ids, url: request.url,
                        fetchedAt: Date(timeIntervalSince1970: seconds), facts: facts,
                        extent: extent)))
            return ids
        }
    }

    /// Applies a change of a collection.
    func apply(_ change: CollectionChange) async throws {
        try await write { $0.record(change) }
    }

    /// Returns the codes of airlines.
    func codes(_ ids: [ManagedObjectID]) async throws -> [String] {
        try await read { try $0.objects(Airline.self, with: ids).map(\.code) }
    }
}

extension CollectionResponse.Extent {
    /// A page without header fields of its pagination.
    static func page(_ index: Int, isFirst: Bool) -> Self {
        .page(index: index, isFirst: isFirst, PageFacts(fields: nil, state: nil))
    }
}
