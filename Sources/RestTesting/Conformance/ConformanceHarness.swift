// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Synchronization

/// Runs exchanges between a client over a new transport and a server that follows a script.
struct ConformanceHarness: Sendable {
    /// A transport and the function that shuts it down.
    struct Instance: Sendable {
        let transport: any HTTPTransport & AnyObject
        let shutdown: @Sendable () async -> Void
    }

    let make: @Sendable () throws -> Instance
    var additionalCodes: [TransportError.Code] = []
    var additionalStages: [TransportError.Stage] = []

    init(make: @escaping @Sendable () throws -> Instance) {
        self.make = make
    }

    /// Limits that end a failing check soon, yet leave a slow machine enough time.
    static let defaultLimits: TransportLimits = {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(20)
        limits.idleTimeout = .seconds(20)
        limits.totalTimeout = .seconds(30)
        return limits
    }()

    /// Calls a closure with a client over a new transport.
    func withClient<Value>(
        _ baseURL: String, limits: TransportLimits = defaultLimits,
        body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let instance = try make()
        var client = try HTTPClient(baseURL: baseURL, transport: instance.transport)
        client.limits = limits
        client.redirects.followsRedirects = false
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await instance.shutdown()
        return try result.get()
    }

    /// Calls a closure with a client and the server whose address the client has.
    func run<Value>(
        _ script: @escaping LoopbackSocketServer.Script, limits: TransportLimits = defaultLimits,
        body: (HTTPClient, LoopbackSocketServer) async throws -> Value
    ) async throws -> Value {
        try await LoopbackSocketServer.run(script) { server in
            try await withClient(server.baseURL, limits: limits) { try await body($0, server) }
        }
    }

    /// Returns the transport error that a closure throws.
    ///
    /// - Parameters:
    ///   - codes: The accepted codes.
    ///   - stages: The accepted stages; empty for any.
    ///   - work: A closure that has to fail.
    /// - Returns: The error.
    /// - Throws: ``ConformanceFailure`` if the closure throws no error or another one.
    @discardableResult
    func error(
        _ codes: [TransportError.Code], at stages: [TransportError.Stage] = [],
        _ work: () async throws -> Void
    ) async throws -> TransportError {
        do {
            try await work()
        } catch let error as TransportError {
            try require(
                (codes + additionalCodes).contains(error.code), "code of \(error): not \(codes)")
            let isExpected = stages.isEmpty || (stages + additionalStages).contains(error.stage)
            try require(isExpected, "stage of \(error): not \(stages)")
            return error
        } catch {
            throw ConformanceFailure("\(type(of: error)) instead of a TransportError: \(error)")
        }
        throw ConformanceFailure("no error, expected one of \(codes)")
    }

    /// Runs a check for at most two minutes.
    ///
    /// After that the check keeps running, but this function throws: a transport may not react to a
    /// cancellation.
    func runWithTimeout(
        _ work: @escaping @Sendable (ConformanceHarness) async throws -> Void
    ) async throws {
        let completion = CheckCompletion()
        try await withCheckedThrowingContinuation { continuation in
            completion.continuation.withLock { $0 = continuation }
            let timeout = Task {
                try await Task.sleep(for: .seconds(120))
                completion.resume(
                    with: .failure(ConformanceFailure("no end after two minutes")))
            }
            Task {
                do {
                    try await work(self)
                    completion.resume(with: .success(()))
                } catch {
                    completion.resume(with: .failure(error))
                }
                timeout.cancel()
            }
        }
    }
}

private final class CheckCompletion: Sendable {
    let continuation = Mutex<CheckedContinuation<Void, any Error>?>(nil)

    func resume(with result: Result<Void, any Error>) {
        continuation.withLock { $0.take() }?.resume(with: result)
    }
}

extension HTTPClient {
    /// Sends a GET and returns the body of the response.
    func read(_ path: String) async throws -> [UInt8] {
        try await send(try request(at: path)).collect()
    }

    /// Sends a GET and returns the body of the response as text.
    func readText(_ path: String) async throws -> String {
        String(decoding: try await read(path), as: UTF8.self)
    }
}

/// Waits until a condition becomes true.
///
/// - Returns: A Boolean value that indicates whether it became true within ten seconds.
package func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<2000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return condition()
}
