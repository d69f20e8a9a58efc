// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// What is left after everything: nothing.
    public var leftovers: [Check] {
        [
            Check("leaves no descriptor and no thread behind", of: self) { bench in
                try await Self.leaveNothing(bench)
            },
            Check("leaves nothing behind of exchanges that fail", of: self) { bench in
                try await Self.leaveNothing(bench, checks: faults + times)
            },
            Check("leaves nothing behind of exchanges that are cancelled", of: self) { bench in
                try await Self.leaveNothing(bench, checks: cancellations)
            },
            Check("is let go with its last exchange", of: self, Self.letGo),
        ]
            + UploadEnd.allCases.map { end in
                Check("is let go with an upload \(end.rawValue)", of: self) { bench in
                    try await Self.letGo(bench, withUpload: end)
                }
            }
    }

    /// How an upload ends whose server takes no more of it.
    private enum UploadEnd: String, CaseIterable, Sendable {
        case cancelled = "that is cancelled"
        case reset = "whose connection is reset"
        case timedOut = "whose time runs out"
    }

    private static func leaveNothing(_ bench: TransportBench) async throws {
        try await leaveNothing {
            try await bench.play(echo) { client, _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<32 {
                        group.addTask { _ = try await client.read("\(number)") }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func leaveNothing(_ bench: TransportBench, checks: [Check]) async throws {
        let checks = checks.filter(\.isRun)
        try await leaveNothing {
            // All at once, as each waits for limits of its own.
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

    /// Does some work until all that is made once has been made, then once more.
    private static func leaveNothing(_ work: () async throws -> Void) async throws {
        for _ in 0..<2 { try await work() }
        try await Task.sleep(for: .milliseconds(500))
        let before = ProcessCount.now
        for _ in 0..<2 { try await work() }
        let isBack = try await eventually { ProcessCount.now.isWithin(before) }
        try require(isBack, "\(ProcessCount.now) at the end, \(before) before")
    }

    @Sendable private static func letGo(_ bench: TransportBench) async throws {
        weak var transport: AnyObject?
        try await LoopbackSocketServer.run(echo) { server in
            let machine = try bench.make()
            transport = machine.transport
            let client = try HTTPClient(baseURL: server.baseURL, transport: machine.transport)
            for number in 0..<3 { _ = try await client.read("\(number)") }
            // Neither shut down nor read to its end.
            _ = try await client.send(try client.request(at: "unread"))
        }
        try require(try await eventually { transport == nil }, "something holds the transport")
    }

    /// A transport whose connection was full when the exchange ended.
    private static func letGo(
        _ bench: TransportBench, withUpload end: UploadEnd
    ) async throws {
        weak var transport: AnyObject?
        let isFull = CheckCounter()
        let script: LoopbackSocketServer.Script = { connection in
            guard connection.readHead() != nil else { return }
            // Until both sockets are full.
            connection.pause(0.3)
            isFull.add(1)
            if end == .reset { connection.reset() } else { while connection.pause(0.05) {} }
        }
        try await LoopbackSocketServer.run(script) { server in
            let machine = try bench.make()
            transport = machine.transport
            var client = try HTTPClient(baseURL: server.baseURL, transport: machine.transport)
            client.limits = TransportBench.patience
            if end == .timedOut { client.limits.totalTimeout = .seconds(2) }
            var request = try client.request(at: "deaf")
            request.method = .put
            let chunk = Array(repeating: UInt8(65), count: 1 << 20)
            request.body = .stream(byteCount: 32 << 20) {
                AsyncStream { stream in
                    for _ in 0..<32 { stream.yield(chunk) }
                    stream.finish()
                }
            }
            // In memory as well: not every transport sends both in the same way.
            var other = request
            other.body = .bytes(Array(repeating: 65, count: 32 << 20))
            let uploads = [request, other].map { request in
                Task { [client] in _ = try await client.send(request) }
            }
            let areFull = try await eventually { isFull.value == uploads.count }
            var ends: [Result<Void, any Error>] = []
            for upload in uploads {
                if end == .cancelled || !areFull { upload.cancel() }
                ends.append(await upload.result)
            }
            try require(areFull, "the uploads did not both come to where the connection is full")
            for case .success in ends { throw ConformanceFailure("the upload came to its end") }
        }
        try require(try await eventually { transport == nil }, "something holds the transport")
    }
}
