// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestTesting
import Synchronization
import TestSupport

/// An object with the properties that most recorded objects share.
@Entity final class RecordedResource: ManagedObject {
    @Identity var url: String
    var name: String?
    var title: String?
    var state: String?
}

/// A recorded response as bytes.
struct TruncatedResponse: Sendable, CustomStringConvertible {
    let recording: String
    let path: String
    let bytes: [UInt8]
    let headerByteCount: Int
    let endsWithReset: Bool
    private let isFirst: Bool
    private let isFirstOfRecording: Bool

    var description: String { "\(path) in \(recording)" }

    /// Returns the responses of all recordings whose objects have a URL.
    static func recorded() throws -> [TruncatedResponse] {
        var responses: [TruncatedResponse] = []
        for recording in try SharedFiles.files(in: "recorded", suffix: ".json") {
            for exchange in try ReplayedExchange.read(SharedFiles.data(recording))
            where exchange.method == "GET" && exchange.status == 200 && hasURLs(exchange) {
                let isFirstInRecording = responses.last?.recording != recording
                responses.append(
                    TruncatedResponse(
                        recording, exchange, number: responses.count,
                        isFirstInRecording: isFirstInRecording))
            }
        }
        return responses
    }

    private static func hasURLs(_ exchange: ReplayedExchange) -> Bool {
        let document = try? JSONSerialization.jsonObject(with: Data(exchange.body))
        let object = document as? [String: Any]
        let list = document as? [Any] ?? object?["items"] as? [Any] ?? [object as Any]
        return !list.isEmpty && list.allSatisfy { ($0 as? [String: Any])?["url"] is String }
    }

    private init(
        _ recording: String, _ exchange: ReplayedExchange, number: Int, isFirstInRecording: Bool
    ) {
        self.recording = recording
        isFirst = number == 0
        isFirstOfRecording = isFirstInRecording
        path = String(exchange.target.dropFirst())
        endsWithReset = number & 2 != 0
        let isChunked = number & 1 != 0
        var header = "HTTP/1.1 200 OK\r\n"
        for (name, value) in exchange.headers where name.lowercased() != "cache-control" {
            header += "\(name): \(value)\r\n"
        }
        // A truncated response in the cache would answer the requests that follow.
        header += "Cache-Control: max-age=3600\r\n"
        header +=
            isChunked
            ? "Transfer-Encoding: chunked\r\n\r\n"
            : "Content-Length: \(exchange.body.count)\r\n\r\n"
        var bytes = Array(header.utf8)
        headerByteCount = bytes.count
        if isChunked {
            var rest = exchange.body[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(1000)
                rest = rest.dropFirst(chunk.count)
                bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
            }
            bytes += Array("0\r\n\r\n".utf8)
        } else {
            bytes += exchange.body
        }
        self.bytes = bytes
    }

    /// Returns the byte counts to which the response is truncated.
    func byteCounts(over adapter: Adapter) -> [Int] {
        // Foundation on Linux traps on a truncated header and does not wait for the last line end.
        let range =
            adapter == .urlSession && isLinux
            ? headerByteCount..<(bytes.count - 1) : 0..<bytes.count
        if Self.isExhaustive { return Array(range) }
        if adapter == .curl, isFirstOfRecording { return denseSample(of: range) }
        var generator = SplitMix64(seed: UInt64(bytes.count))
        return (0..<50).map { _ in Int.random(in: range, using: &generator) }
            + [range.upperBound - 1]
    }

    /// Returns a sample of the byte counts in a range: every byte of the first header, every 7th of
    /// other headers, every 23rd of a body, and the last 64.
    ///
    /// 23 has no factor in common with the 1,007 bytes of a chunk and its framing, so the sample meets
    /// each part of the framing.
    private func denseSample(of range: Range<Int>) -> [Int] {
        let end = max(headerByteCount, range.upperBound - 64)
        return Array(stride(from: range.lowerBound, to: headerByteCount, by: isFirst ? 1 : 7))
            + stride(from: headerByteCount, to: end, by: 23) + Array(end..<range.upperBound)
    }

    private static let isExhaustive =
        ProcessInfo.processInfo.environment["RESTKIT_CUTS"] == "all"
}

/// The byte counts that several tasks still have to request.
final class ByteCountQueue: Sendable {
    private let pending: Mutex<ArraySlice<Int>>
    private let acceptedByteCounts = Mutex<[Int]>([])

    init(_ byteCounts: [Int]) {
        pending = Mutex(byteCounts[...])
    }

    /// The byte counts at which the truncated response was accepted as a complete one.
    var accepted: [Int] { acceptedByteCounts.withLock(\.self) }

    func next() -> Int? {
        pending.withLock { $0.popFirst() }
    }

    func recordAccepted(_ byteCount: Int) {
        acceptedByteCounts.withLock { $0.append(byteCount) }
    }
}
