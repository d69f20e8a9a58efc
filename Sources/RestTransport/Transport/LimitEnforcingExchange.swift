// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// An exchange that enforces limits for a transport that does not.
///
/// Such a transport connects, sends and waits for the header in one call. The idle timeout and the
/// total timeout apply to that call; only the total timeout if the request's body is streamed,
/// because sending is not idle.
package struct LimitEnforcingExchange: Sendable {
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
        var response = try await withTimeout(at: .receivingHeader, idleTimeout: idleTimeout) {
            try await transport.send(request)
        }
        try checkHeader(response.head)
        let length = announcedLength(in: response.head)
        if let bytes = response.body.completeBytes {
            try check(bodyByteCount: bytes.count)
            try check(bodyByteCount: bytes.count, is: length)
        } else {
            response.body = ResponseBody(
                source: LimitEnforcingBody(response.body, exchange: self, length: length))
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

    /// Returns the announced length of the body in bytes; `nil` without a body and for a body that
    /// was decompressed.
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
            request: request, reason: "\(bodyByteCount) bytes were received, \(length) announced")
    }

    fileprivate func check(bodyByteCount: Int) throws(TransportError) {
        if bodyByteCount > limits.bodyByteCount {
            throw limits.bodyTooLarge(request)
        }
    }

    /// Runs an operation until it ends or its time expires.
    fileprivate func withTimeout<Value: Sendable>(
        at stage: TransportError.Stage, idleTimeout: Duration?,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let total = limits.totalTimeout.map { $0 - (ContinuousClock.now - start) }
        guard let timeout = [idleTimeout, total].compactMap({ $0 }).min() else {
            return try await operation()
        }
        let isIdle = timeout == idleTimeout
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await SharedTimer.shared.sleep(until: .now + timeout)
                throw isIdle
                    ? limits.idleTimeoutError(request, at: stage)
                    : limits.totalTimeoutError(request, at: stage)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

/// A body that enforces limits on the bytes of another one and on the time between them.
private final class LimitEnforcingBody: ResponseBodySource {
    private let exchange: LimitEnforcingExchange
    private let inner: Mutex<ResponseBody.Iterator?>
    private let byteCount = Atomic(0)
    private let length: Int?

    init(_ body: ResponseBody, exchange: LimitEnforcingExchange, length: Int?) {
        self.exchange = exchange
        self.length = length
        inner = Mutex(body.makeAsyncIterator())
    }

    func next() async throws -> [UInt8]? {
        let chunk = try await exchange.withTimeout(
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
