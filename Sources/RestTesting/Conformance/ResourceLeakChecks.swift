// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Checks that no descriptor, thread or transport outlives its use.
    var resourceLeaks: [Check] {
        [
            Check("leaks no descriptors or threads", of: self) { harness in
                try await Self.requireNoLeaks(harness)
            },
            Check("leaks nothing when exchanges fail", of: self) { harness in
                try await Self.requireNoLeaks(harness, checks: faults + timeouts)
            },
            Check("leaks nothing when exchanges are cancelled", of: self) { harness in
                try await Self.requireNoLeaks(harness, checks: cancellations)
            },
            Check("is released with its last exchange", of: self, Self.releaseTransport),
        ]
            + UploadEnd.allCases.map { end in
                Check("is released with an upload \(end.rawValue)", of: self) { harness in
                    try await Self.releaseTransport(harness, withUpload: end)
                }
            }
    }

    /// The end of an upload whose server does not read on.
    private enum UploadEnd: String, CaseIterable, Sendable {
        case cancelled = "that is cancelled"
        case reset = "whose connection is reset"
        case timedOut = "that times out"
    }

    private static func requireNoLeaks(_ harness: ConformanceHarness) async throws {
        try await ProcessResources.requireRelease {
            try await harness.run(echo) { client, _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<32 {
                        group.addTask { _ = try await client.read("\(number)") }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func requireNoLeaks(_ harness: ConformanceHarness, checks: [Check]) async throws
    {
        let checks = checks.filter(\.isEnabled)
        try await ProcessResources.requireRelease {
            // Concurrently, as each waits for its own timeouts.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for check in checks {
                    group.addTask {
                        do {
                            try await check.run()
                        } catch {
                            throw ConformanceFailure("\(check.name): \(error)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Sendable private static func releaseTransport(_ harness: ConformanceHarness) async throws {
        weak var transport: AnyObject?
        try await LoopbackSocketServer.run(echo) { server in
            let instance = try harness.make()
            transport = instance.transport
            let client = try HTTPClient(baseURL: server.baseURL, transport: instance.transport)
            for number in 0..<3 { _ = try await client.read("\(number)") }
            // The transport is not shut down, and this body is not read.
            _ = try await client.send(try client.request(at: "unread"))
        }
        try require(try await eventually { transport == nil }, "the transport is still referenced")
    }

    /// Releases a transport after an upload that ended while the socket buffers were full.
    private static func releaseTransport(
        _ harness: ConformanceHarness, withUpload end: UploadEnd
    ) async throws {
        weak var transport: AnyObject?
        let isFull = AtomicCounter()
        let script: LoopbackSocketServer.Script = { connection in
            guard connection.readHead() != nil else { return }
            // Until the buffers of both sockets are full.
            connection.pause(0.3)
            isFull.add(1)
            if end == .reset { connection.reset() } else { connection.waitUntilServerStops() }
        }
        try await LoopbackSocketServer.run(script) { server in
            let instance = try harness.make()
            transport = instance.transport
            var client = try HTTPClient(baseURL: server.baseURL, transport: instance.transport)
            client.limits = ConformanceHarness.defaultLimits
            if end == .timedOut { client.limits.totalTimeout = .seconds(2) }
            var request = try client.request(at: "unread")
            request.method = .put
            let chunk = Array(repeating: UInt8(65), count: 1 << 20)
            request.body = .stream(byteCount: 32 << 20) {
                AsyncStream { stream in
                    for _ in 0..<32 { stream.yield(chunk) }
                    stream.finish()
                }
            }
            // A body in memory as well, which some transports send in another way.
            var inMemory = request
            inMemory.body = .bytes(Array(repeating: 65, count: 32 << 20))
            let uploads = [request, inMemory].map { request in
                Task { [client] in _ = try await client.send(request) }
            }
            let areFull = try await eventually { isFull.value == uploads.count }
            var results: [Result<Void, any Error>] = []
            for upload in uploads {
                if end == .cancelled || !areFull { upload.cancel() }
                results.append(await upload.result)
            }
            try require(areFull, "the uploads did not both fill their connections")
            for case .success in results { throw ConformanceFailure("the upload succeeded") }
        }
        try require(try await eventually { transport == nil }, "the transport is still referenced")
    }
}
