// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Logging

/// An interceptor that logs requests and their outcomes.
///
/// In ``HTTPClient/interceptors``, after a ``RequestIDInterceptor``, it logs each request once,
/// with the outcome of all redirects, retries and the cache; in ``HTTPClient/networkInterceptors``
/// each exchange. Messages are built only if their level is enabled:
///
/// - at ``level``, one line after the response header with method, URL, status, duration,
///   request ID and number of redirects; after an error, one line at `warning` with its
///   description;
/// - at `debug`, one line with the request's header fields, and one with the response's;
/// - at `trace`, if ``bodyByteCount`` is not zero, one line with the beginning of each body: a
///   body in memory when it is sent, a streamed one when it has been read to its end for the
///   first time, and the response's when the caller has read it. The lines are the same however
///   the bodies arrive in time. An error, or a reader that stops early, adds `incomplete`.
///
/// All text is redacted with ``redaction``. Of errors other than ``TransportError``, only the type
/// is logged.
public struct LoggingInterceptor: HTTPInterceptor {
    /// The logger.
    public var logger: Logger

    /// The redaction of header fields, URLs and forms.
    public var redaction = LogRedaction.default

    /// The level of the one line for each request; `info` by default.
    public var level = Logger.Level.info

    /// The maximum number of logged bytes of a body, at level `trace`; 0 by default.
    ///
    /// Forms are redacted like queries. Other bodies are not redacted. Bodies of requests that an
    /// ``Authorizer`` sends are never logged.
    public var bodyByteCount = 0

    /// The name of the field that contains the request ID; see ``RequestIDInterceptor``.
    public var requestIDField = HTTPField.Name.requestID

    /// Creates an interceptor.
    ///
    /// - Parameter logger: The logger.
    public init(logger: Logger) {
        self.logger = logger
    }

    /// Sends a request and logs its outcome.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        let lowest = logger.logLevel
        guard lowest <= max(level, .warning) else { return try await next.send(request) }
        var request = request
        if lowest <= .debug { log(&request) }
        let start = next.clock.now
        do {
            var response = try await next.send(request)
            if lowest <= .debug { log(&response, to: request) }
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
        metadata["duration"] = .string(duration.roundedText)
        if !response.redirects.isEmpty {
            metadata["redirects"] = .stringConvertible(response.redirects.count)
        }
        return metadata
    }

    private func outcome(
        of request: TransportRequest, after duration: Duration, _ error: any Error
    ) -> Logger.Metadata {
        var metadata = subject(request)
        metadata["duration"] = .string(duration.roundedText)
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
        metadata["url"] = .string(redaction.redacted(request.url))
        if let id = request.headerFields.first(requestIDField) {
            metadata["request-id"] = .string(EscapedText.of(id))
        }
        return metadata
    }

    private func log(_ request: inout TransportRequest) {
        var metadata = subject(request)
        metadata["fields"] = fields(request.headerFields)
        logger.debug("request", metadata: metadata)
        guard logsBodies, !request.body.isEmpty else { return }
        let record = record("request body", of: request, request.headerFields)
        if let bytes = request.body.bytes {
            record.append(bytes)
            record.end(isComplete: true)
        } else {
            request.body = request.body.recorded(in: record)
        }
    }

    private func log(_ response: inout TransportResponse, to request: TransportRequest) {
        var metadata = subject(request)
        metadata["fields"] = fields(response.headerFields)
        logger.debug("response header", metadata: metadata)
        guard logsBodies else { return }
        let record = record("response body", of: request, response.headerFields)
        response.body = ResponseBody(source: RecordedSource(response.body, record: record))
    }

    private var logsBodies: Bool {
        // The bodies of an authorizer's requests and responses are credentials.
        bodyByteCount > 0 && logger.logLevel <= .trace && AuthorizationRefresh.interceptor == nil
    }

    /// Returns a record that logs a body at its end.
    private func record(
        _ message: Logger.Message, of request: TransportRequest, _ fields: HTTPFields
    ) -> BodyRecord {
        let subject = subject(request)
        return BodyRecord(limit: bodyByteCount) { [self] body in
            logger.trace(message, metadata: subject.merging(metadata(of: body, fields)) { $1 })
        }
    }

    private func fields(_ fields: HTTPFields) -> Logger.MetadataValue {
        .array(
            fields.map { .string("\($0.name.canonicalName): \(redaction.redacted($0))") })
    }

    private func metadata(of body: BodyRecord.Content, _ fields: HTTPFields) -> Logger.Metadata {
        var text = String(decoding: body.beginning, as: UTF8.self)
        if fields[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true {
            text = redaction.redactedItems(text[...])
        }
        var metadata: Logger.Metadata = [
            "body": .string(EscapedText.of(text)), "byte-count": .stringConvertible(body.byteCount),
        ]
        if !body.isComplete { metadata["incomplete"] = .stringConvertible(true) }
        return metadata
    }
}
