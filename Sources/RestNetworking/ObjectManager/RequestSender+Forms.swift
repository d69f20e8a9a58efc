// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping
public import RestTransport

extension RequestSender {
    /// Sends a request with a multipart form, and returns the value of the response.
    ///
    /// ```swift
    /// let photo: Photo = try await api.post("photos") { form in
    ///     try form.addFile(at: path, named: "file")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: A path relative to the base URL.
    ///   - parameters: The first fields of the form.
    ///   - keyPath: The location of the value in the response.
    ///   - type: The type of the value.
    ///   - form: Adds parts to the form.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func callAsFunction<Value: MappableValue>(
        _ path: String, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        form: @escaping (inout MultipartForm) throws -> Void
    ) async throws -> sending Value {
        try await manager.value(.value(), method, .path(path), parameters, keyPath) {
            $0.form = form
        }
    }

    /// Sends a request with a multipart form, and returns a value that decodes itself.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable & SendableMetatype>(
        _ path: String, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        form: @escaping (inout MultipartForm) throws -> Void
    ) async throws -> sending Value {
        try await manager.value(.decoded(), method, .path(path), parameters, keyPath) {
            $0.form = form
        }
    }

    /// Sends a request with a multipart form.
    ///
    /// The body of the response is not read.
    public func callAsFunction(
        _ path: String, parameters: RequestParameters = [:],
        form: @escaping (inout MultipartForm) throws -> Void
    ) async throws {
        try await manager.value(.nothing, method, .path(path), parameters, nil) { $0.form = form }
    }
}
