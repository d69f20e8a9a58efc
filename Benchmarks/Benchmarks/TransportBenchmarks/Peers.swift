// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import LibcurlLoad
import NIOCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Foundation's client, `URLSession`.
@Sendable func urlSession(_ address: String, _ shape: GetLoad.Shape) throws -> GetLoad.Client {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = shape.inFlight
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    guard let url = URL(string: address) else { throw GetLoad.WrongAnswer() }
    return GetLoad.Client(shape) {
        try await session.data(from: url).0.count
    } close: {
        session.finishTasksAndInvalidate()
    }
}

/// AsyncHTTPClient, over SwiftNIO.
@Sendable func asyncHTTPClient(_ address: String, _ shape: GetLoad.Shape) throws -> GetLoad.Client {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = shape.inFlight
    let client = HTTPClient(configuration: configuration)
    let request = HTTPClientRequest(url: address)
    return GetLoad.Client(shape) {
        let response = try await client.execute(request, timeout: .seconds(60))
        return try await response.body.collect(upTo: 64 << 20).readableBytes
    } close: {
        try? await client.shutdown()
    }
}

/// libcurl under a C program, in the thread of the waiting task.
@Sendable func bareLibcurl(_ address: String, _ shape: GetLoad.Shape) throws -> GetLoad.Client {
    let load = try LibcurlLoad(address, inFlight: shape.inFlight)
    return GetLoad.Client {
        try load.run(shape)
    } close: {
        load.close()
    }
}

/// A handle of the C program.
///
/// Invariant for `@unchecked Sendable`: one measurement at a time uses it, from one thread, and none
/// after `close`.
@safe private final class LibcurlLoad: @unchecked Sendable {
    private let load: OpaquePointer

    init(_ address: String, inFlight: Int) throws {
        guard let load = unsafe libcurl_load_open(address, Int32(inFlight)) else {
            throw GetLoad.WrongAnswer()
        }
        unsafe self.load = load
    }

    func run(_ shape: GetLoad.Shape) throws -> GetLoad.Figures {
        var times = [UInt64](repeating: 0, count: shape.requestCount)
        let start = ContinuousClock.now
        let result = unsafe libcurl_load_run(load, Int32(times.count), shape.byteCount, &times)
        guard result == 0 else { throw GetLoad.WrongAnswer() }
        return GetLoad.Figures(times, elapsed: .now - start)
    }

    func close() {
        unsafe libcurl_load_close(load)
    }
}

/// wrk, a load generator, where it is installed; it reports its own figures.
@Sendable func wrk(_ address: String, _ shape: GetLoad.Shape) throws -> GetLoad.Client {
    GetLoad.Client {
        let process = Process()
        process.executableURL = wrkExecutable
        process.arguments = ["-t1", "-c\(shape.inFlight)", "-d1s", "--latency", address]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let report = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = report.split { $0.isWhitespace }
        guard let rate = words.firstIndex(of: "Requests/sec:").flatMap({ Double(words[$0 + 1]) }),
            let slowest = words.firstIndex(of: "99%").flatMap({ nanoseconds(words[$0 + 1]) })
        else { throw GetLoad.WrongAnswer() }
        return GetLoad.Figures(requestsPerSecond: rate, slowestTime: slowest)
    } close: {
    }
}

/// The path of wrk; `nil` if it is not installed.
let wrkExecutable: URL? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":")
        .map { URL(fileURLWithPath: String($0)).appendingPathComponent("wrk") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}()

/// Parses a duration in the format of wrk, such as `1.25ms`.
private func nanoseconds(_ text: Substring) -> UInt64? {
    for (unit, factor) in [("us", 1e3), ("ms", 1e6), ("s", 1e9)] where text.hasSuffix(unit) {
        return Double(text.dropLast(unit.count)).map { UInt64($0 * factor) }
    }
    return nil
}
