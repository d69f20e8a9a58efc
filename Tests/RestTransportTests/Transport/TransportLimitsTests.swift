// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// The default limits, and the memory used for bodies that exceed their limit.
@Suite(.serialized) struct TransportLimitsTests {
    @Test(.threat("T13")) func limitsTimesByDefault() {
        let limits = TransportLimits.default
        #expect(limits.connectTimeout == .seconds(15))
        #expect(limits.idleTimeout == .seconds(30))
        #expect(limits.totalTimeout == .seconds(60))
    }

    /// Runs in a process of its own, so that the peak is that of this body.
    // Foundation on Linux continues to read until it handles the cancellation, which under load may
    // be after the server has sent everything.
    @Test(
        .tags(.socket), .threat("T11"), .withoutSanitizer,
        .enabled(if: isLinux, "the peak is read from /proc"),
        arguments: Adapter.allCases.filter { !isLinux || $0 != .urlSession })
    func endsEndlessBodyWithinTwiceLimit(adapter: Adapter) async throws {
        await #expect(processExitsWith: .success) { [adapter] in
            let limit = TransportLimits.default.bodyByteCount
            #expect(limit == 64 << 20)
            let isDropped = Atomic(false)
            try await LoopbackSocketServer.run { connection in
                let chunk = Array("4000\r\n".utf8) + Array(repeating: 65, count: 0x4000) + [13, 10]
                while let request = connection.readRequestText() {
                    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    let isEndless = request.hasPrefix("GET /endless ")
                    var left = isEndless ? 10 << 30 : 1 << 20
                    while left > 0, connection.send(chunk) { left -= 0x4000 }
                    isDropped.store(isEndless && left > 0, ordering: .relaxed)
                    connection.send("0\r\n\r\n")
                }
            } body: { server in
                try await adapter.run(server.baseURL) { client in
                    // The memory of the first exchange is not counted.
                    _ = try await client.read("small")
                    let before = try #require(kilobytes("VmRSS"))
                    let error = await transportError { _ = try await client.read("endless") }
                    #expect(error?.code == .bodyTooLarge, "\(error?.description ?? "no error")")
                    #expect(error?.reason.contains("\(limit)") == true)
                    let cost = try #require(kilobytes("VmHWM")) - before
                    #expect(cost << 10 <= 2 * limit, "\(cost) kB")
                    let hasDropped = try await eventually { isDropped.load(ordering: .relaxed) }
                    #expect(hasDropped, "the connection is still open")
                }
            }
        }
    }
}

/// Returns a value of /proc/self/status in kB.
private func kilobytes(_ name: String) -> Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line.flatMap { Int($0.filter(\.isNumber)) }
}
