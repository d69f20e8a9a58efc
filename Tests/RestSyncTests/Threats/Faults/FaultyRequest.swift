// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// A request to a server with a fault.
struct FaultyRequest: Sendable {
    /// The kind of request.
    enum Kind: String, CaseIterable, Sendable {
        case object
        case managed
        case paged
    }

    /// The outcome of a request.
    struct Outcome: Sendable {
        var error: NetworkingError?
        /// Another error than a ``NetworkingError``, or an unexpected result.
        var unexpected: String?
        /// The number of requests for the faulty resource.
        var requestCount = 0
        var isStored = false
    }

    /// The number of attempts of a request with retries.
    static let attemptCount = 3

    let fault: ServedFault
    let kind: Kind
    let adapter: Adapter

    @Mapped struct Plain {
        var id: Int
    }

    /// The limits, with short times only for faults that a time limit ends.
    ///
    /// On a busy machine other faults would end by them too: with fewer attempts, or another error.
    private var limits: TransportLimits {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(50)
        let isTimed = fault.transportCodes.contains(.timedOut)
        limits.idleTimeout = isTimed ? .milliseconds(400) : .seconds(50)
        limits.totalTimeout = isTimed ? .milliseconds(1200) : .seconds(50)
        limits.bodyByteCount = 256 << 10
        return limits
    }

    /// Sends the request and returns its outcome.
    func run(into store: ManagedObjectStore) async throws -> Outcome {
        let requestCount = Atomic(0)
        switch fault.destination {
        case .server(let respond):
            return try await LoopbackSocketServer.run { connection in
                guard let request = connection.readRequestText() else { return }
                if request.hasPrefix("GET /first ") {
                    connection.send(Self.firstPage)
                    return
                }
                requestCount.add(1, ordering: .relaxed)
                respond(connection)
            } body: { server in
                var outcome = try await send(to: server.baseURL, into: store)
                outcome.requestCount = requestCount.load(ordering: .relaxed)
                return outcome
            }
        case .withoutTLS:
            return try await LoopbackSocketServer.run { connection in
                connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            } body: { server in
                try await send(to: "https://127.0.0.1:\(server.port)/", into: store)
            }
        case .certificate(let certificate):
            return try await TLSServer.run(Self.authority.get(), certificate) { server in
                try await send(to: server.baseURL(), into: store)
            }
        }
    }

    private static let authority = Result { try TestAuthority() }

    /// A page with the existing row; the next page is faulty.
    private static let firstPage =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLink: </there>; rel=\"next\"\r\n"
        + "Content-Length: \(UnaffectedStore.issue.utf8.count + 2)\r\nConnection: close\r\n\r\n"
        + "[\(UnaffectedStore.issue)]"

    private func send(to baseURL: String, into store: ManagedObjectStore) async throws -> Outcome {
        try await adapter.run(baseURL, limits: limits) { client in
            var client = client
            client.cache = HTTPCache()
            if fault.isRetried {
                var policy = RetryPolicy()
                policy.attemptCount = Self.attemptCount
                policy.baseDelay = .milliseconds(1)
                client.networkInterceptors = [RetryInterceptor(policy)]
            }
            var outcome = Outcome()
            do {
                try await perform(by: ObjectManager(client: client), into: store)
                outcome.unexpected = "no error"
            } catch let error as NetworkingError {
                outcome.error = error
            } catch {
                outcome.unexpected = "\(type(of: error)): \(error)"
            }
            let request = try client.request(at: "there")
            outcome.isStored = await client.cache?.entry(for: request) != nil
            return outcome
        }
    }

    private func perform(by api: ObjectManager, into store: ManagedObjectStore) async throws {
        switch (kind, fault.destination) {
        case (.object, _):
            _ = try await api.getObjects(Plain.self, at: "there")
        case (.managed, _):
            _ = try await api.getObjects(Issue.self, at: "there", into: store)
        case (.paged, let destination):
            var start = "there"
            if case .server = destination { start = "first" }
            let pages = api.pages(of: Issue.self, at: start, by: .linkHeader, into: store)
            for try await page in pages {
                #expect(start == "first" && page.objectIDs.count == 1)
            }
        }
    }

    /// Expects the documented outcome.
    func expect(_ outcome: Outcome) {
        #expect(outcome.unexpected == nil, "\(kind)")
        #expect(outcome.error?.code == fault.code, "\(kind)")
        #expect(outcome.error?.method == "GET")
        #expect(outcome.error?.url?.hasPrefix("http") == true)
        let underlying = outcome.error?.underlying as? TransportError
        var codes = fault.transportCodes
        // Foundation has one code for missing and for malformed responses, of which the first is
        // temporary, and notices cancellation late.
        let isAmbiguous = isLinux && adapter == .urlSession && fault.code == .transportFailed
        if isAmbiguous {
            codes += [.malformedResponse, .connectionLost, .incompleteBody, .timedOut]
        }
        if fault.transportCodes.isEmpty {
            #expect(underlying == nil)
        } else {
            let isDocumented = underlying.map { codes.contains($0.code) } ?? false
            #expect(isDocumented, "\(kind): \(String(describing: underlying))")
        }
        if fault.isRetried, !isAmbiguous {
            #expect(outcome.requestCount == Self.attemptCount, "\(kind): \(outcome.requestCount)")
        }
        #expect(!outcome.isStored, "\(kind): something is in the cache")
    }
}
