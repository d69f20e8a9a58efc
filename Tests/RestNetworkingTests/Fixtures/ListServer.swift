// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestNetworking
import RestTesting

/// A slice of a list of articles with the ids 1, 2, 3 and so on.
struct ListSlice {
    var start: Int
    var count: Int

    /// The part of the slice that is within a list.
    func clamped(to total: Int) -> ListSlice {
        let first = min(max(start, 0), total)
        return ListSlice(start: first, count: min(max(count, 0), total - first))
    }

    /// The articles as JSON.
    var json: String {
        let articles = (0..<count).map { #"{"id":\#(start + $0 + 1),"title":"t"}"# }
        return "[\(articles.joined(separator: ","))]"
    }

    var end: Int { start + count }
}

extension LoopbackRequest {
    /// Returns the number of a parameter in the query; `nil` if there is none.
    func number(_ name: String) -> Int? {
        parameter(name).flatMap { Int($0) }
    }

    /// Returns the text of a parameter in the query as it was sent; `nil` if there is none.
    func parameter(_ name: String) -> String? {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0] == name { return parts.count > 1 ? String(parts[1]) : "" }
        }
        return nil
    }
}

/// Runs a manager for a server of lists.
func withList<Value>(
    _ handler: @escaping LoopbackServer.Handler,
    _ work: (ObjectManager, LoopbackServer) async throws -> Value
) async throws -> Value {
    try await LoopbackServer.run(handler) { server in
        try await work(manager(at: server.baseURL), server)
    }
}

/// Returns the ids of the articles on all pages of the list `articles`.
func ids(
    _ api: ObjectManager, parameters: RequestParameters = [:], by pagination: Pagination,
    from start: PagePosition? = nil
) async throws -> [[Int]] {
    var pages = api.pages(of: Article.self, at: "articles", parameters: parameters, by: pagination)
    pages.start = start
    var ids: [[Int]] = []
    for try await page in pages { ids.append(page.objects.map(\.id)) }
    return ids
}
