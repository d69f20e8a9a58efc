// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.socket), .serialized) struct ProgressObserverTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Adapter.allCases, BodyKind.allCases)
    func reportsSentAndReceivedBytes(adapter: Adapter, kind: BodyKind) async throws {
        let answer = sampleBytes(1 << 20)
        try await LoopbackSocketServer.run { connection in
            while connection.readMessage() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(answer.count)\r\n\r\n")
                connection.send(answer)
            }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let log = ReportLog()
                var request = try client.request(
                    .post, at: "a", body: kind.body(sampleBytes(3 << 20), in: folder))
                request.progress = ProgressObserver(interval: .zero, log.add)
                let response = try await client.send(request)
                #expect(response.request.body == request.body)
                #expect(try await response.collect() == answer)
                let reports = log.reports
                let first = try #require(reports.first)
                #expect(first.sentByteCount == 0)
                #expect(first.expectedSentByteCount == (kind.hasLength ? 3 << 20 : nil))
                #expect(first.sentFraction == (kind.hasLength ? 0 : nil))
                let last = try #require(reports.last)
                #expect(last.sentByteCount == 3 << 20)
                #expect(last.expectedSentByteCount == 3 << 20)
                #expect(last.receivedByteCount == answer.count)
                #expect(last.expectedReceivedByteCount == answer.count)
                #expect(last.isComplete)
                #expect(reports.filter(\.isComplete).count == 1)
                // Counts increase by at most 64 KiB and never decrease.
                #expect(reports.count > 48)
                for (one, next) in zip(reports, reports.dropFirst()) {
                    #expect(one.sentByteCount <= next.sentByteCount)
                    #expect(next.sentByteCount - one.sentByteCount <= 64 << 10)
                    #expect(one.receivedByteCount <= next.receivedByteCount)
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func countsDecompressedBytesWithoutExpectedLength(adapter: Adapter) async throws {
        let plain = [UInt8](repeating: 0, count: 1 << 20)
        let packed = Gzip.zeros(megabytes: 1)
        try await LoopbackServer.run { _ in
            LoopbackResponse(headers: [("Content-Encoding", "gzip")], body: packed)
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let log = ReportLog()
                var request = try client.request(at: "a")
                request.progress = ProgressObserver(log.add)
                #expect(try await client.send(request).collect() == plain)
                let last = try #require(log.reports.last)
                #expect(last.receivedByteCount == plain.count)
                #expect(last.isComplete)
                #expect(last.receivedFraction == 1)
                #expect(log.reports.allSatisfy { $0.expectedReceivedByteCount != packed.count })
                #expect(log.reports.allSatisfy { $0.sentByteCount == 0 })
            }
        }
    }

    @Test func restartsWhenRedirectResendsBody() async throws {
        try await LoopbackServer.run { request in
            request.path == "/a" ? .redirect(307, to: "/b") : LoopbackResponse()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let log = ReportLog()
                var request = try client.request(.post, at: "a", body: .bytes(sampleBytes(100)))
                request.progress = ProgressObserver(interval: .zero, log.add)
                _ = try await client.send(request).collect()
                let counts = log.reports.map(\.sentByteCount)
                let starts = zip(counts, counts.dropFirst()).filter { $0 > $1 }
                #expect(starts.count == 1)
                #expect(counts.last == 100)
                #expect(log.reports.filter(\.isComplete).count == 1)
            }
        }
    }

    @Test func endsReportsWithExchange() async throws {
        try await LoopbackServer.run { _ in
            LoopbackResponse(body: sampleBytes(100_000))
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let (observer, reports) = ProgressObserver.stream()
                var request = try client.request(at: "a")
                request.progress = observer
                let last = lastReport(of: reports)
                let response = try await client.send(request)
                _ = try await response.collect()
                #expect(await last.value?.isComplete == true)
                // The observer is still alive, and the sequence has ended.
                #expect(response.request.progress == observer)
            }
            try await Adapter.curl.run("http://127.0.0.1:1/") { client in
                let (observer, reports) = ProgressObserver.stream()
                var request = try client.request(at: "a")
                request.progress = observer
                let last = lastReport(of: reports)
                let sent = request
                let error = await transportError { _ = try await client.send(sent) }
                #expect(error?.code == .connectionFailed)
                #expect(await last.value?.isComplete != true)
                #expect(sent.progress == observer)
            }
        }
    }

    @Test func respectsReportInterval() async throws {
        try await LoopbackServer.run { _ in
            LoopbackResponse(body: sampleBytes(4 << 20))
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let log = ReportLog()
                var request = try client.request(.put, at: "a", body: .bytes(sampleBytes(4 << 20)))
                request.progress = ProgressObserver(interval: .seconds(3600), log.add)
                _ = try await client.send(request).collect()
                // The beginning, the end of the body, the header, and the end.
                #expect((4...5).contains(log.reports.count))
            }
        }
    }

    @Test func reportsSerially() async throws {
        try await LoopbackServer.run { _ in
            LoopbackResponse(body: sampleBytes(1 << 20))
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let callCount = Atomic(0)
                let mostAtOnce = Atomic(0)
                var request = try client.request(.put, at: "a", body: .bytes(sampleBytes(1 << 20)))
                request.progress = ProgressObserver(interval: .zero) { _ in
                    let count = callCount.wrappingAdd(1, ordering: .relaxed).newValue
                    mostAtOnce.max(count, ordering: .relaxed)
                    callCount.wrappingSubtract(1, ordering: .relaxed)
                }
                _ = try await client.send(request).collect()
                #expect(mostAtOnce.load(ordering: .relaxed) == 1)
            }
        }
    }
}

private func lastReport(
    of reports: AsyncStream<TransportProgress>
) -> Task<TransportProgress?, Never> {
    Task {
        var last: TransportProgress?
        for await report in reports { last = report }
        return last
    }
}

private final class ReportLog: Sendable {
    private let list = Mutex<[TransportProgress]>([])

    var reports: [TransportProgress] { list.withLock { $0 } }

    func add(_ progress: TransportProgress) {
        list.withLock { $0.append(progress) }
    }
}
