// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestTesting
import Synchronization
import TestSupport

/// What many of the recorded objects have.
@Entity final class RecordedResource: ManagedObject {
    @Identity var url: String
    var name: String?
    var title: String?
    var state: String?
}

/// A recorded response as bytes.
struct CutResponse: Sendable, CustomStringConvertible {
    let recording: String
    let path: String
    let bytes: [UInt8]
    let headerByteCount: Int
    let endsWithReset: Bool
    private let isFirstOfRecording: Bool

    var description: String { "\(path) in \(recording)" }

    /// The responses of all recordings that hold objects with an address.
    static func recorded() throws -> [CutResponse] {
        var responses: [CutResponse] = []
        for recording in try SharedFiles.files(in: "recorded", suffix: ".json") {
            for exchange in try ReplayedExchange.read(SharedFiles.data(recording))
            where exchange.method == "GET" && exchange.status == 200 && hasAddresses(exchange) {
                let isFirst = responses.last?.recording != recording
                responses.append(
                    CutResponse(
                        recording, exchange, number: responses.count, isFirst: isFirst))
            }
        }
        return responses
    }

    private static func hasAddresses(_ exchange: ReplayedExchange) -> Bool {
        let document = try? JSONSerialization.jsonObject(with: Data(exchange.body))
        let object = document as? [String: Any]
        let list = document as? [Any] ?? object?["items"] as? [Any] ?? [object as Any]
        return !list.isEmpty && list.allSatisfy { ($0 as? [String: Any])?["url"] is String }
    }

    private init(
        _ recording: String, _ exchange: ReplayedExchange, number: Int, isFirst: Bool
    ) {
        self.recording = recording
        isFirstOfRecording = isFirst
        path = String(exchange.target.dropFirst())
        endsWithReset = number & 2 != 0
        let isChunked = number & 1 != 0
        var header = "HTTP/1.1 200 OK\r\n"
        for (name, value) in exchange.headers where name.lowercased() != "cache-control" {
            header += "\(name): \(value)\r\n"
        }
        // So that a half in the cache would answer the requests after it.
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

    /// Where the response is cut.
    func cuts(over adapter: Adapter) -> [Int] {
        // Foundation does not wait for the very last line end.
        let range =
            adapter == .urlSession && isLinux
            ? headerByteCount..<(bytes.count - 1) : 0..<bytes.count
        if Self.cutsEverywhere || adapter == .curl && isFirstOfRecording { return Array(range) }
        var generator = SplitMix64(seed: UInt64(bytes.count))
        return (0..<50).map { _ in Int.random(in: range, using: &generator) }
            + [range.upperBound - 1]
    }

    private static let cutsEverywhere = ProcessInfo.processInfo.environment["RESTKIT_CUTS"] == "all"
}

/// The cuts of a response that are still to be made.
final class CutQueue: Sendable {
    private let waiting: Mutex<ArraySlice<Int>>
    private let takenCuts = Mutex<[Int]>([])

    init(_ cuts: [Int]) {
        waiting = Mutex(cuts[...])
    }

    /// The cuts at which the response was taken for a whole one.
    var taken: [Int] { takenCuts.withLock(\.self) }

    func next() -> Int? {
        waiting.withLock { $0.popFirst() }
    }

    func noteTaken(_ cut: Int) {
        takenCuts.withLock { $0.append(cut) }
    }
}
