// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Logging

/// Notes requests and what became of them.
///
/// In ``HTTPClient/interceptors``, behind a ``RequestIDInterceptor``, it notes each request once,
/// with what all redirects, repetitions and the cache came to; in ``HTTPClient/networkInterceptors``
/// each exchange. What is built for a note is built only when its level is on:
///
/// - at ``level``, one line when the response header has come: method, address, status, duration,
///   request id, number of redirects; at `warning` instead when there is an error, with its
///   description;
/// - at `debug`, before that, one line with the request's header fields, and one with the response's;
/// - at `trace`, when ``bodyByteCount`` is not zero, the bodies that are held in memory. Bodies that
///   are streamed are never read here.
///
/// All text goes through ``redaction`` first. Errors that are not ``TransportError`` show their type
/// only.
public struct LoggingInterceptor: HTTPInterceptor {
    /// Where notes go.
    public var logger: Logger

    /// What may be seen.
    public var redaction = LogRedaction.default

    /// The level of the one line for each request; `info` by default.
    public var level = Logger.Level.info

    /// Most bytes shown of a body, at level `trace`; none by default.
    ///
    /// Forms are redacted like queries; nothing else in a body is.
    public var bodyByteCount = 0

    /// The field whose value is noted as the id of a request; ``RequestIDInterceptor`` sets it.
    public var requestIDField = HTTPField.Name.requestID

    /// Makes an interceptor.
    ///
    /// - Parameter logger: Where notes go.
    public init(logger: Logger) {
        self.logger = logger
    }

    /// Sends a request and notes what became of it.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        let lowest = logger.logLevel
        guard lowest <= max(level, .warning) else { return try await next.send(request) }
        if lowest <= .debug { note(request) }
        let start = next.clock.now
        do {
            let response = try await next.send(request)
            if lowest <= .debug { note(response, to: request) }
            logger.log(
                level: level, "response",
                metadata: outcome(of: request, after: next.clock.now - start, response))
            return response
        } catch {
            logger.log(
                level: error is CancellationError ? level : .warning,
                error is CancellationError ? "request cancelled" : "request failed",
                metadata: outcome(of: request, after: next.clock.now - start, error))
            throw error
        }
    }

    private func outcome(
        of request: TransportRequest, after duration: Duration, _ response: TransportResponse
    ) -> Logger.Metadata {
        var metadata = subject(request)
        metadata["status"] = .stringConvertible(response.status.code)
        metadata["duration"] = .stringConvertible(duration)
        if !response.redirects.isEmpty {
            metadata["redirects"] = .stringConvertible(response.redirects.count)
        }
        return metadata
    }

    private func outcome(
        of request: TransportRequest, after duration: Duration, _ error: any Error
    ) -> Logger.Metadata {
        var metadata = subject(request)
        metadata["duration"] = .stringConvertible(duration)
        if let error = error as? TransportError {
            metadata["error"] = .string(EscapedText.of(error.description))
        } else if !(error is CancellationError) {
            metadata["error"] = .string(String(describing: type(of: error)))
        }
        return metadata
    }

    private func subject(_ request: TransportRequest) -> Logger.Metadata {
        var metadata = Logger.Metadata(minimumCapacity: 6)
        metadata["method"] = .string(request.method.rawValue)
        metadata["url"] = .string(redaction.shown(request.url))
        if let id = request.headerFields.first(requestIDField) {
            metadata["request-id"] = .string(EscapedText.of(id))
        }
        return metadata
    }

    private func note(_ request: TransportRequest) {
        var metadata = subject(request)
        metadata["fields"] = fields(request.headerFields)
        logger.debug("request", metadata: metadata)
        guard bodyByteCount > 0, logger.logLevel <= .trace, let bytes = request.body.bytes else {
            return
        }
        logger.trace("request body", metadata: body(bytes, request, request.headerFields))
    }

    private func note(_ response: TransportResponse, to request: TransportRequest) {
        var metadata = subject(request)
        metadata["fields"] = fields(response.headerFields)
        logger.debug("response header", metadata: metadata)
        guard bodyByteCount > 0, logger.logLevel <= .trace, let bytes = response.body.completeBytes
        else { return }
        logger.trace("response body", metadata: body(bytes, request, response.headerFields))
    }

    private func fields(_ fields: HTTPFields) -> Logger.MetadataValue {
        .array(
            fields.map { .string("\($0.name.canonicalName): \(redaction.shown($0))") })
    }

    private func body(
        _ bytes: [UInt8], _ request: TransportRequest, _ fields: HTTPFields
    ) -> Logger.Metadata {
        var metadata = subject(request)
        var text = String(decoding: bytes.prefix(bodyByteCount), as: UTF8.self)
        if fields[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true {
            text = redaction.shownItems(text[...])
        }
        metadata["body"] = .string(EscapedText.of(text))
        metadata["byte-count"] = .stringConvertible(bytes.count)
        return metadata
    }
}
