// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Synchronization

/// Puts a fresh transport between a client and a server that plays a script.
struct TransportBench: Sendable {
    /// A transport and how to end it.
    struct Machine: Sendable {
        let transport: any HTTPTransport & AnyObject
        let shutdown: @Sendable () async -> Void
    }

    let make: @Sendable () throws -> Machine
    var alsoAcceptedCodes: [TransportError.Code] = []
    var alsoAcceptedStages: [TransportError.Stage] = []

    init(make: @escaping @Sendable () throws -> Machine) {
        self.make = make
    }

    /// Limits that keep a failing check short, yet are far from a slow machine's needs.
    static let patience: TransportLimits = {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(20)
        limits.idleTimeout = .seconds(20)
        limits.totalTimeout = .seconds(30)
        return limits
    }()

    /// Runs the body with a client that has a transport of its own.
    func use<Value>(
        _ baseURL: String, limits: TransportLimits = patience,
        body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let machine = try make()
        var client = try HTTPClient(baseURL: baseURL, transport: machine.transport)
        client.limits = limits
        client.redirects.followsRedirects = false
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await machine.shutdown()
        return try result.get()
    }

    /// Runs the body with a client and the server it talks to.
    func play<Value>(
        _ script: @escaping LoopbackSocketServer.Script, limits: TransportLimits = patience,
        body: (HTTPClient, LoopbackSocketServer) async throws -> Value
    ) async throws -> Value {
        try await LoopbackSocketServer.run(script) { server in
            try await use(server.baseURL, limits: limits) { try await body($0, server) }
        }
    }

    /// The transport error that a piece of work ends with.
    ///
    /// - Parameters:
    ///   - codes: What it may be.
    ///   - stages: Where it may come; anywhere when empty.
    ///   - work: What has to fail.
    /// - Returns: The error.
    /// - Throws: ``ConformanceFailure`` when it does not, or with another error.
    @discardableResult
    func error(
        _ codes: [TransportError.Code], at stages: [TransportError.Stage] = [],
        _ work: () async throws -> Void
    ) async throws -> TransportError {
        do {
            try await work()
        } catch let error as TransportError {
            try require(
                (codes + alsoAcceptedCodes).contains(error.code), "code of \(error): not \(codes)")
            let isThere = stages.isEmpty || (stages + alsoAcceptedStages).contains(error.stage)
            try require(isThere, "stage of \(error): not \(stages)")
            return error
        } catch {
            throw ConformanceFailure("\(type(of: error)) instead of a TransportError: \(error)")
        }
        throw ConformanceFailure("no error, expected one of \(codes)")
    }

    /// Runs a check, but does not wait for it for ever.
    func runInTime(_ work: @escaping @Sendable (TransportBench) async throws -> Void) async throws {
        let end = CheckEnd()
        try await withCheckedThrowingContinuation { continuation in
            end.continuation.withLock { $0 = continuation }
            let bound = Task {
                try await Task.sleep(for: .seconds(120))
                end.resume(with: .failure(ConformanceFailure("no end after two minutes")))
            }
            Task {
                do {
                    try await work(self)
                    end.resume(with: .success(()))
                } catch {
                    end.resume(with: .failure(error))
                }
                bound.cancel()
            }
        }
    }
}

private final class CheckEnd: Sendable {
    let continuation = Mutex<CheckedContinuation<Void, any Error>?>(nil)

    func resume(with result: Result<Void, any Error>) {
        continuation.withLock { $0.take() }?.resume(with: result)
    }
}

extension HTTPClient {
    /// Sends a GET and reads the body.
    func read(_ path: String) async throws -> [UInt8] {
        try await send(try request(at: path)).collect()
    }

    /// Sends a GET and reads the body as text.
    func readText(_ path: String) async throws -> String {
        String(decoding: try await read(path), as: UTF8.self)
    }
}

/// Waits until a condition comes true.
///
/// - Returns: Whether it did, within ten seconds.
package func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<2000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return condition()
}
