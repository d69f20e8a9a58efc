// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// Holds an exchange of a transport that counts nothing itself to its limits.
///
/// Such a transport hides connecting, sending and waiting for the header behind one call, so all of
/// that counts as time until the header, for which the idle limit and the total limit stand; the total
/// limit alone when the request's body comes from a source, as that is no silence.
package struct GuardedExchange: Sendable {
    private let request: TransportRequest
    fileprivate let limits: TransportLimits
    private let start = ContinuousClock.now

    package init(_ request: TransportRequest) {
        self.request = request
        limits = request.limits ?? .default
    }

    package func send(through transport: any HTTPTransport) async throws -> TransportResponse {
        let isStreaming = !request.body.isEmpty && request.body.bytes == nil
        let idleTimeout = isStreaming ? nil : limits.idleTimeout
        var response = try await withinTime(at: .receivingHeader, idleTimeout: idleTimeout) {
            try await transport.send(request)
        }
        try checkHeader(response.head)
        let length = announcedLength(in: response.head)
        if let bytes = response.body.completeBytes {
            try check(bodyByteCount: bytes.count)
            try check(bodyByteCount: bytes.count, is: length)
        } else {
            response.body = ResponseBody(
                source: GuardedBody(response.body, exchange: self, length: length))
        }
        return response
    }

    private func checkHeader(_ head: HTTPResponse) throws(TransportError) {
        var byteCount = 0
        for field in head.headerFields {
            byteCount += field.name.rawName.utf8.count + field.value.utf8.count + 4
        }
        if head.headerFields.count > limits.headerFieldCount || byteCount > limits.headerByteCount {
            throw limits.headerTooLarge(request)
        }
    }

    /// The length of the body that the header announces, `nil` where it says nothing of what comes
    /// here: without a body, or of a body that was decompressed.
    ///
    /// - Source: RFC 9112 §6.3.
    private func announcedLength(in head: HTTPResponse) -> Int? {
        guard request.method != .head, head.status.code >= 200, head.status != .noContent,
            head.status != .notModified, !head.headerFields.contains(.contentEncoding)
        else { return nil }
        return head.headerFields.first(.contentLength).flatMap { Int($0) }
    }

    fileprivate func check(bodyByteCount: Int, is length: Int?) throws(TransportError) {
        guard let length, length != bodyByteCount else { return }
        throw TransportError(
            length > bodyByteCount ? .incompleteBody : .malformedResponse, stage: .receivingBody,
            request: request, reason: "\(bodyByteCount) bytes came, \(length) were announced")
    }

    fileprivate func check(bodyByteCount: Int) throws(TransportError) {
        if bodyByteCount > limits.bodyByteCount {
            throw limits.bodyTooLarge(request)
        }
    }

    /// Runs one step; whichever ends first, the step or its time, decides.
    fileprivate func withinTime<Value: Sendable>(
        at stage: TransportError.Stage, idleTimeout: Duration?,
        _ step: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let total = limits.totalTimeout.map { $0 - (ContinuousClock.now - start) }
        guard let time = [idleTimeout, total].compactMap({ $0 }).min() else {
            return try await step()
        }
        let isIdle = time == idleTimeout
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await step() }
            group.addTask {
                try await Task.sleep(for: max(.zero, time))
                throw isIdle
                    ? limits.idleTimeRanOut(request, at: stage)
                    : limits.totalTimeRanOut(request, at: stage)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

/// Counts the bytes of another body and watches the time between them.
private final class GuardedBody: ResponseBodySource {
    private let exchange: GuardedExchange
    private let inner: Mutex<ResponseBody.Iterator?>
    private let byteCount = Atomic(0)
    private let length: Int?

    init(_ body: ResponseBody, exchange: GuardedExchange, length: Int?) {
        self.exchange = exchange
        self.length = length
        inner = Mutex(body.makeAsyncIterator())
    }

    func next() async throws -> [UInt8]? {
        let chunk = try await exchange.withinTime(
            at: .receivingBody, idleTimeout: exchange.limits.idleTimeout
        ) { [self] in
            guard var iterator = inner.withLock({ $0.take() }) else { return nil as [UInt8]? }
            let chunk = try await iterator.next()
            inner.withLock { [iterator] in $0 = chunk == nil ? nil : iterator }
            return chunk
        }
        if let chunk {
            let count = byteCount.wrappingAdd(chunk.count, ordering: .relaxed).newValue
            do {
                try exchange.check(bodyByteCount: count)
            } catch {
                cancel()
                throw error
            }
        } else {
            try exchange.check(bodyByteCount: byteCount.load(ordering: .relaxed), is: length)
        }
        return chunk
    }

    func cancel() {
        inner.withLock { $0 = nil }
    }
}
