// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestCommands
import TestSupport
import Testing

@testable import Demonstration

@Suite(.tags(.socket)) struct DemoServerTests {
    @Test func returnsTheResultOfTheBody() async throws {
        let port = try await DemoServer.run(port: 0) { server in server.port }
        #expect(port > 0)
        // The server has stopped, so the port is free again.
        #expect(try await DemoServer.run(port: port) { server in server.port } == port)
    }

    @Test func advisesAnotherPortWhenOccupied() async throws {
        try await DemoServer.run(port: 0) { server in
            let error = await #expect(throws: ToolError.self) {
                try await DemoServer.run(port: server.port) { _ in }
            }
            #expect(error?.code == .serverFailed)
            #expect(error?.description.contains("--port") == true)
        }
    }

    @Test func rethrowsErrorsOfTheBody() async throws {
        await #expect(throws: CocoaError.self) {
            try await DemoServer.run(port: 0) { _ in throw CocoaError(.featureUnsupported) }
        }
    }

    @Test(.timeLimit(.hang)) func stopsWhenCancelled() async throws {
        let task = Task {
            try await DemoServer.run(port: 0) { _ in try await Task.sleep(for: .seconds(3600)) }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
