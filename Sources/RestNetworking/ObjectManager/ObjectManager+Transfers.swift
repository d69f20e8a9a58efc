// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport
import Synchronization

// Files of any size: neither the time nor the size is limited, unless the request has limits.

extension ObjectManager {
    /// Sends a GET request and writes the body of the response to a file.
    ///
    /// ```swift
    /// let file = try await api.download("exports/2026.csv", to: "/tmp/2026.csv") { request in
    ///     request.progress = observer
    /// }
    /// ```
    ///
    /// The file appears when it is complete. An interrupted download is resumed by a range if the
    /// server identifies the representation; see
    /// ``/RestTransport/HTTPClient/download(_:to:retrying:)``. Response descriptors do not apply,
    /// except those of error statuses.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the query.
    ///   - file: The path of the file, absolute or relative to the working directory.
    ///   - configure: Sets further properties of the request, such as header fields or progress.
    /// - Returns: The file.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/unexpectedStatus`` for a
    ///   status other than 200 and 206, `CancellationError`, or the errors of `configure`.
    /// - Isolation: The request is assembled in the caller's isolation; the file is written outside
    ///   of it.
    public func download(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        to file: String,
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws -> DownloadedFile {
        var request = ObjectRequest<Void>(.get, at: target, parameters: parameters)
        request.headerFields[.accept] = "*/*"
        try configure(&request)
        return try await download(assemble(request), to: file)
    }

    /// Downloads a file as an operation.
    private func download(
        _ request: AssembledRequest<Void>, to path: String
    ) async throws -> DownloadedFile {
        let file = Mutex<DownloadedFile?>(nil)
        let configuration = request.configuration
        let operation = RequestOperation(
            request.transportRequest, metadata: request.metadata.custom,
            configuration: configuration,
            kind: configuration.value.operationRegistry.kind(
                for: request.transportRequest, into: .objects),
            priority: request.priority, willMapDocument: nil
        ) { _ in
            let downloaded = try await self.file(of: request, at: path)
            file.withLock { $0 = downloaded }
            return OperationSummary()
        } didFinish: { _ in
        }
        try await operation.call(in: configuration.value.operationQueue, ending: false)
        guard let file = file.withLock(\.self) else { throw CancellationError() }
        return file
    }

    @concurrent
    private func file(
        of request: AssembledRequest<Void>, at file: String
    ) async throws -> DownloadedFile {
        do {
            let client = request.configuration.value.client(for: request.transportRequest)
            switch try await client.download(request.transportRequest, to: file) {
            case .file(let file):
                return file
            case .declined(let response):
                let response = try await read(response, to: request)
                throw response.error(
                    .unexpectedStatus, stage: .response, causes: ["expected 200 or 206"])
            }
        } catch let error as TransportError {
            throw NetworkingError(
                .transportFailed, stage: .transport, method: "GET",
                url: request.transportRequest.url.redacted, underlying: error)
        }
    }

    /// Sends a file as the body of a request, and returns the value of the response.
    ///
    /// ```swift
    /// let photo: Photo = try await api.upload("/tmp/cat.png", to: "photos/42/image")
    /// ```
    ///
    /// The file is read while it is sent, so memory does not depend on its size. To send it as a
    /// part of a form, use ``multipartRequest(for:method:at:parameters:form:)`` or a request with
    /// a ``ObjectRequest/form``.
    ///
    /// - Parameters:
    ///   - file: The path of the file, absolute or relative to the working directory.
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - method: PUT, POST or PATCH.
    ///   - contentType: The media type of the file; `nil` for that of its file name, or else
    ///     `application/octet-stream`.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as parameters or progress.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/invalidRequest`` if the file
    ///   cannot be read or the method has no body, `CancellationError`, or the errors of
    ///   `configure`.
    public func upload<Value: MappableValue>(
        _ file: String, to target: some RequestTargetConvertible,
        method: HTTPRequest.Method = .put, contentType: MediaType? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(method, at: target)
        try configure(&request)
        return try await perform(assemble(request, file, contentType)).value
    }

    /// Sends a file as the body of a request.
    ///
    /// The body of the response is not read.
    public func upload(
        _ file: String, to target: some RequestTargetConvertible,
        method: HTTPRequest.Method = .put, contentType: MediaType? = nil,
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws {
        var request = ObjectRequest<Void>(method, at: target)
        try configure(&request)
        _ = try await perform(assemble(request, file, contentType))
    }

    /// Returns a request whose body is a file.
    private func assemble<Value>(
        _ request: ObjectRequest<Value>, _ file: String, _ contentType: MediaType?
    ) throws(NetworkingError) -> AssembledRequest<Value> {
        var assembled = try assemble(request)
        var result = assembled.transportRequest
        guard RequestAssembler.methodsWithBody.contains(result.method), result.body.isEmpty else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: result.method.rawValue,
                url: result.url.redacted,
                causes: [
                    "a file is the whole body of a PUT, POST or PATCH request; place parameters in the query"
                ])
        }
        do throws(TransportError) {
            result.body = try .file(at: file)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: result.method.rawValue,
                url: result.url.redacted, causes: ["the file cannot be sent"], underlying: error)
        }
        let defaults = assembled.configuration.value.client.defaultHeaders
        if !result.headerFields.contains(.contentType),
            contentType != nil || !defaults.contains(.contentType)
        {
            let type = contentType ?? MediaType(fileName: file)
            result.headerFields[.contentType] = type?.description ?? "application/octet-stream"
        }
        if result.limits == nil {
            var limits = assembled.configuration.value.client.limits
            limits.totalTimeout = nil
            result.limits = limits
        }
        assembled.transportRequest = result
        return assembled
    }
}
