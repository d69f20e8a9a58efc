// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestAsyncHTTPClient
import RestKit
import RestURLSession
import Synchronization

/// The use of one client, one manager and one store from many tasks.
struct Life: Sendable {
    /// An unexpected result.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let taskCount = 16
    /// Cacheable URLs and rows are few, so that a growing cache or table is not taken for a leak.
    private static let issueCount = 1000
    private static let addressCount = 100
    private static let counterCount = 64

    private let client: HTTPClient
    private let api: ObjectManager
    private let store: ManagedObjectStore

    init(at address: String, over transport: any HTTPTransport, in directory: URL) async throws {
        var client = try HTTPClient(baseURL: address, transport: transport)
        client.interceptors = [RequestCoalescingInterceptor()]
        let files = directory.appending(path: "responses").path(percentEncoded: false)
        var loading = client
        loading.cache = HTTPCache(storage: try FileCacheStorage(directory: files))
        client.cache = HTTPCache()
        self.client = client
        api = ObjectManager(client: loading)
        try api.add(ResponseDescriptor(Issue.self, at: "issues/:id"))
        store = try await ManagedObjectStore(
            at: directory.appending(path: "objects.sqlite"), entities: Issue.self, Author.self,
            Counter.self)
    }

    /// Performs a number of turns and reports progress after each tenth.
    func run(_ count: Int) async throws {
        let turns = Turns(count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.taskCount {
                group.addTask {
                    while let number = turns.next() {
                        try await take(number)
                        try turns.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        try await checkStore(after: count)
    }

    private func take(_ number: Int) async throws {
        let turn = Turn.allCases[number % Turn.allCases.count]
        do {
            switch turn {
            case .plain, .missing, .moved, .chunks, .closing:
                try await exchange(.get, turn, number, expecting: turn == .missing ? 404 : 200)
            case .posted: try await exchange(.post, turn, number, expecting: 200)
            case .put: try await exchange(.put, turn, number, expecting: 200)
            case .kept, .asked:
                try await exchange(.get, turn, number % Self.addressCount, expecting: 200)
            case .cut: try await lose(number)
            case .issues: try await load(number)
            case .abandoned: try await abandon(number)
            case .saved: try await save(number)
            }
        } catch {
            throw Failure(description: "\(turn) \(number): \(error)")
        }
    }

    private func exchange(
        _ method: HTTPRequest.Method, _ turn: Turn, _ number: Int, expecting status: Int
    ) async throws {
        let body: MessageBody =
            method == .get ? .empty : .bytes([UInt8](repeating: 120, count: 300))
        let request = try client.request(method, at: "\(turn)/\(number)", body: body)
        let response = try await client.send(request)
        let text = String(decoding: try await response.collect(), as: UTF8.self)
        // The body contains the requested path; a redirect changes it.
        let path = turn == .moved ? "/plain/moved" : "/\(turn)/\(number)"
        guard response.status.code == status, text.contains("\"\(path)\"") else {
            throw Failure(description: "\(response.status) \(text)")
        }
    }

    /// A truncated body is an error, not a short body.
    private func lose(_ number: Int) async throws {
        do {
            try await exchange(.get, .cut, number, expecting: 200)
        } catch let error as TransportError where error.code == .incompleteBody {
            return
        }
        throw Failure(description: "nothing was missing")
    }

    private func load(_ number: Int) async throws {
        let path = "issues/\(number % Self.issueCount)"
        let result = try await api.getObjects(Issue.self, at: path, into: store)
        guard result.objectIDs.count == 1 else { throw Failure(description: "\(result)") }
    }

    // A random moment, possibly after the end of the load.
    private func abandon(_ number: Int) async throws {
        let loading = Task { try await load(number) }
        try await Task.sleep(for: .microseconds(number % 3000))
        loading.cancel()
        do {
            try await loading.value
        } catch is CancellationError {}
    }

    private func save(_ number: Int) async throws {
        let id = number % Self.counterCount
        try await store.perform { context in
            let known = try context.fetch(Counter.self, where: { $0.id == id })
            let counter = try known.first ?? context.insert(Counter.self)
            counter.id = id
            counter.value += 1
            try context.save()
        }
    }

    /// Verifies that every save is stored and that no row mixes two responses.
    private func checkStore(after count: Int) async throws {
        let (saves, halves) = try await store.perform { context in
            let issues = try context.fetch(Issue.self)
            let counters = try context.fetch(Counter.self)
            return (
                counters.reduce(0) { $0 + $1.value },
                issues.count { $0.title != $0.state || $0.author == nil }
            )
        }
        let expected = (0..<count).count { Turn.allCases[$0 % Turn.allCases.count] == .saved }
        guard saves == expected, halves == 0 else {
            throw Failure(description: "\(saves) of \(expected) saves, \(halves) halves of rows")
        }
    }
}

/// The counter of turns that the tasks share.
private final class Turns: Sendable {
    private let count: Int
    private let begun = Atomic(0)
    private let ended = Atomic(0)

    init(_ count: Int) {
        self.count = count
    }

    func next() -> Int? {
        let number = begun.add(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }

    /// Reports the number of completed turns after each tenth.
    func end() throws {
        let number = ended.add(1, ordering: .relaxed).newValue
        if number * 10 / count != (number - 1) * 10 / count {
            try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
        }
    }
}

/// The transports, named after their libraries.
enum Library: String, CaseIterable {
    case curl, urlsession, asynchttpclient

    func transport() -> any HTTPTransport {
        switch self {
        case .curl: CurlTransport()
        case .urlsession: URLSessionTransport()
        case .asynchttpclient: AsyncHTTPClientTransport()
        }
    }
}
