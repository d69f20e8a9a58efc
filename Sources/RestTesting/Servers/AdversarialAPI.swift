// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A REST API on loopback that does what makes clients lose records: it changes its list while the list is
/// read, and fails in every way that servers do.
///
/// ```swift
/// try await AdversarialAPI.run(.init(paging: .pageNumber, seed: 7)) { api in
///     api.insert(count: 200)
///     // run a client against api.baseURL and compare its records with api.records
/// }
/// ```
///
/// The list is at `items`, its records are objects with `id`, `name` and `updated`, the second of their last
/// change. The parameter `since` selects records by it. The same seed makes the same faults.
public final class AdversarialAPI: Sendable {
    /// The way in which the list is divided into pages.
    public enum Paging: Sendable, Hashable, CaseIterable {
        /// The parameter `page`, and the `Link` field with the next page.
        case linkHeader
        /// The parameter `page`; a page after the last one is empty.
        case pageNumber
        /// The parameter `offset`.
        case offset
        /// The parameter `cursor` with the member `next_cursor`.
        case cursor
        /// The parameter `starting_after` with the last `id`, and the member `has_more`.
        case lastIdentity
    }

    /// The faults and changes of the API.
    public struct Behavior: Sendable {
        /// The way in which the list is divided into pages.
        public var paging: Paging
        /// The number of records of a page.
        public var pageSize = 10
        /// The share of responses that are failures: 500, 503, 429, cut bodies, and 304 without a condition.
        public var failureShare = 0.0
        /// The share of requests after which a record is inserted, removed, moved or touched.
        public var changeShare = 0.0
        /// A Boolean value that indicates whether responses have entity tags.
        public var hasEntityTags = true
        /// A Boolean value that indicates whether cursors lead back to earlier pages.
        public var loops = false
        /// A Boolean value that indicates whether each response has a new cursor, and the first two pages
        /// repeat for ever.
        public var repeatsWithNewCursors = false
        /// The seed of the faults and changes.
        public var seed: UInt64

        /// Creates a behavior.
        public init(paging: Paging, seed: UInt64 = 1) {
            self.paging = paging
            self.seed = seed
        }
    }

    /// A record of the list.
    public struct Record: Sendable, Hashable {
        /// The identity, which is never used twice.
        public var id: Int
        /// A text.
        public var name: String
        /// The second of the last change.
        public var updated: Int
    }

    fileprivate struct State {
        var behavior: Behavior
        var records: [Record] = []
        var lastID = 0
        var second = 1_000
        var generator: SplitMix64
        var requests: [LoopbackRequest] = []
    }

    private let state: Mutex<State>
    /// The base URL, which ends with a slash.
    public let baseURL: String

    private init(_ behavior: Behavior, baseURL: String) {
        self.baseURL = baseURL
        self.state = Mutex(
            State(behavior: behavior, generator: SplitMix64(seed: behavior.seed)))
    }

    /// Runs an API for the duration of a closure.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or `CocoaError` if no port is available.
    public static func run<Value>(
        _ behavior: Behavior, body: (AdversarialAPI) async throws -> Value
    ) async throws -> Value {
        let holder = Holder()
        return try await LoopbackSocketServer.run { connection in
            while let bytes = connection.readRequest(), let request = LoopbackRequest(bytes),
                let api = holder.api.withLock(\.self)
            {
                let (response, isCut) = api.response(to: request)
                let bytes = response.bytes(withBody: request.method != "HEAD")
                guard !isCut else {
                    _ = connection.send(Array(bytes.dropLast(response.body.count / 2)))
                    return
                }
                guard connection.send(bytes) else { return }
            }
        } body: { server in
            let api = AdversarialAPI(behavior, baseURL: server.baseURL)
            holder.api.withLock { $0 = api }
            return try await body(api)
        }
    }

    private final class Holder: Sendable {
        let api = Mutex<AdversarialAPI?>(nil)
    }

    // MARK: Content

    /// The records in the order of the list.
    public var records: [Record] { state.withLock(\.records) }

    /// The number of requests so far.
    public var requestCount: Int { state.withLock(\.requests.count) }

    /// The queries of the requests so far.
    public var queries: [String] { state.withLock { $0.requests.map(\.query) } }

    /// Inserts records at the end of the list.
    public func insert(count: Int) {
        state.withLock { state in for _ in 0..<count { state.insert(at: state.records.count) } }
    }

    /// Changes a number of random records in one second.
    public func touch(count: Int) {
        state.withLock { state in
            state.second += 1
            for _ in 0..<min(count, state.records.count) {
                let index = state.generator.next(below: state.records.count)
                state.records[index].name += "+"
                state.records[index].updated = state.second
            }
        }
    }

    /// Removes random records.
    public func remove(count: Int) {
        state.withLock { state in
            for _ in 0..<min(count, state.records.count) {
                state.records.remove(at: state.generator.next(below: state.records.count))
            }
        }
    }

    /// Changes the behavior, for example to stop faults and changes.
    public func change(_ change: (inout Behavior) -> Void) {
        state.withLock { change(&$0.behavior) }
    }

    // MARK: Responses

    private func response(to request: LoopbackRequest) -> (LoopbackResponse, isCut: Bool) {
        state.withLock { state in
            state.requests.append(request)
            if let failure = state.failure() { return failure }
            let response = state.page(request, baseURL: baseURL)
            state.changeAtRandom()
            return (
                response, state.happens(state.behavior.failureShare / 4) && response.status == 200
            )
        }
    }
}

extension AdversarialAPI.State {
    fileprivate mutating func insert(at index: Int) {
        lastID += 1
        second += 1
        records.insert(
            AdversarialAPI.Record(id: lastID, name: "item \(lastID)", updated: second), at: index)
    }

    fileprivate mutating func happens(_ share: Double) -> Bool {
        share > 0 && Double(generator.next(below: 10_000)) < share * 10_000
    }

    /// Returns a failure, which has no effect on the list.
    fileprivate mutating func failure() -> (LoopbackResponse, isCut: Bool)? {
        guard happens(behavior.failureShare) else { return nil }
        return switch generator.next(below: 5) {
        case 0: (LoopbackResponse(status: 500), false)
        case 1: (LoopbackResponse(status: 503, headers: [("Retry-After", "1")]), false)
        case 2: (LoopbackResponse(status: 429, headers: [("Retry-After", "2")]), false)
        // Valid HTTP, and half a document.
        case 3: (.json(#"{"items": [{"id": 1, "na"#), false)
        // It says nothing without a condition.
        default: (LoopbackResponse(status: 304), false)
        }
    }

    /// Changes the list as other clients do.
    fileprivate mutating func changeAtRandom() {
        guard happens(behavior.changeShare), !records.isEmpty else { return }
        let index = generator.next(below: records.count)
        switch generator.next(below: 4) {
        case 0: insert(at: index)
        case 1: records.remove(at: index)
        case 2:
            let record = records.remove(at: index)
            records.insert(record, at: generator.next(below: records.count + 1))
        default:
            // Several records have the same second.
            if generator.next(below: 2) == 0 { second += 1 }
            records[index].updated = second
            records[index].name += "*"
        }
    }

    /// Returns a page of the list.
    fileprivate func page(_ request: LoopbackRequest, baseURL: String) -> LoopbackResponse {
        var items: [String: String] = [:]
        for pair in request.query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            items[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        guard request.path == "/items" else { return LoopbackResponse(status: 404) }
        var list = records
        if let since = items["since"].flatMap({ Int($0) }) {
            list = list.filter { $0.updated >= since }.sorted {
                ($0.updated, $0.id) < ($1.updated, $1.id)
            }
        }
        let size = behavior.pageSize
        var start = 0
        switch behavior.paging {
        case .linkHeader, .pageNumber: start = ((items["page"].flatMap { Int($0) } ?? 1) - 1) * size
        case .offset: start = items["offset"].flatMap { Int($0) } ?? 0
        case .cursor: start = items["cursor"].flatMap { Int($0) } ?? 0
        case .lastIdentity: break
        }
        let position = start
        if behavior.repeatsWithNewCursors { start %= 2 * size }
        if behavior.paging == .lastIdentity {
            // Keys of records do not shift.
            list.sort { $0.id < $1.id }
            let last = items["starting_after"].flatMap { Int($0) } ?? 0
            start = list.firstIndex { $0.id > last } ?? list.count
        }
        let page = list.dropFirst(start).prefix(size)
        let end = start + page.count
        let hasMore = end < list.count
        var headers: [(name: String, value: String)] = []
        var members = "\"has_more\": \(hasMore)"
        if behavior.paging == .cursor {
            var next = behavior.loops && start > 0 ? "\(size)" : hasMore ? "\(end)" : ""
            if behavior.repeatsWithNewCursors { next = "\(position + size)" }
            members += ", \"next_cursor\": \(next.isEmpty ? "null" : "\"\(next)\"")"
        }
        if behavior.paging == .linkHeader, hasMore {
            let since = items["since"].map { "since=\($0)&" } ?? ""
            headers.append(
                ("Link", "<\(baseURL)items?\(since)page=\(start / size + 2)>; rel=\"next\""))
        }
        let rows = page.map {
            "{\"id\": \($0.id), \"name\": \"\($0.name)\", \"updated\": \($0.updated)}"
        }
        let body = "{\"items\": [\(rows.joined(separator: ", "))], \(members)}"
        guard behavior.hasEntityTags else { return .json(body, headers: headers) }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in body.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let tag = "\"\(hash)\""
        headers.append(("ETag", tag))
        if request.headers["if-none-match"] == tag {
            return LoopbackResponse(status: 304, headers: headers)
        }
        return .json(body, headers: headers)
    }
}
