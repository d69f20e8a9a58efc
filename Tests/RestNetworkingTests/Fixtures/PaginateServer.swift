// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestTesting

/// A server of the list `/paginate`: two pages of three people, and a third that fails.
enum PaginateServer {
    private static let people = [
        [("Blake", 29), ("Sarah", 30), ("Colin", 27)], [("Asia", 8), ("Roy", 2), ("Lola", 9)],
    ]

    static func response(to request: LoopbackRequest) -> LoopbackResponse {
        switch (request.path, request.number("page")) {
        case ("/paginate/", _):
            return .json(
                """
                {"per_page": 10, "total_entries": 0, "current_page": 1, "entries": [],
                 "total_pages": 0}
                """)
        case ("/paginate", let page?) where (1...2).contains(page):
            let entries = people[page - 1].map { #"{"name": "\#($0.0)", "age": \#($0.1)}"# }
            return .json(
                """
                {"per_page": 3, "total_entries": 6, "current_page": \(page), "total_pages": 3,
                 "entries": [\(entries.joined(separator: ","))]}
                """)
        case ("/paginate", 3):
            return .json(#"{"message": "unprocessable"}"#, status: 422)
        default:
            return LoopbackResponse(status: 404)
        }
    }

    /// The mapping of the responses: page size, current page, and number of objects.
    static let mapping = ObjectMapping(for: PaginationState.self) {
        attribute("per_page", to: \.perPage)
        attribute("current_page", to: \.currentPage)
        attribute("total_entries", to: \.objectCount)
        attribute("offset", to: \.offset)
    }

    /// A mapping of the page count, with a number of objects that the responses do not contain.
    static let pageCountMapping = ObjectMapping(for: PaginationState.self) {
        attribute("per_page", to: \.perPage)
        attribute("total_pages", to: \.pageCount)
        attribute("total_objects", to: \.objectCount)
    }

    /// A mapping without rules, for responses without counts.
    static let emptyMapping = ObjectMapping(for: PaginationState.self) {}

    /// Runs a manager for a server whose lists are at the key path `entries`.
    static func run<Value>(
        mapping: ObjectMapping = PaginateServer.mapping,
        _ handler: @escaping LoopbackServer.Handler = { PaginateServer.response(to: $0) },
        _ work: (ObjectManager, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        try await LoopbackServer.run(handler) { server in
            // Without a slash at its end, the base has no path, and patterns begin with one.
            let api = try manager(at: String(server.baseURL.dropLast()))
            try api.add(ResponseDescriptor(Author.self, keyPath: "entries"))
            api.configure { $0.paginationMapping = mapping }
            return try await work(api, server)
        }
    }
}

extension ObjectManager {
    /// Returns a paginator of the list `/paginate` by page numbers, with the manager's pagination mapping
    /// or that of the server.
    func people(
        _ pattern: String = "/paginate?per_page=:perPage&page=:currentPage"
    ) throws -> Paginator<Author> {
        configure {
            if $0.paginationMapping == nil { $0.paginationMapping = PaginateServer.mapping }
        }
        return try paginator(of: Author.self, pathPattern: pattern)
    }
}
