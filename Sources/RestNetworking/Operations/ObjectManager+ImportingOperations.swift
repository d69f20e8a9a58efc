// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import RestMapping

extension ObjectManager {
    /// Returns an operation whose response is imported by a function, without enqueueing it.
    ///
    /// - Parameters:
    ///   - request: The assembled request.
    ///   - importing: Imports the response, and adds issues and counts to the report.
    ///   - importingOfCopies: Imports the response to a copy of the operation.
    /// - Returns: The operation, of a kind for ``OperationDestination/store``.
    package func operation<Value>(
        for request: AssembledRequest<ObjectResponse>,
        importing:
            @escaping @Sendable (ObjectResponse, inout MappingReport) async throws -> sending Value,
        copies importingOfCopies:
            @escaping @Sendable (ObjectResponse, inout MappingReport) async throws -> sending Value
    ) -> ObjectRequestOperation<Value> {
        ObjectRequestOperation(
            request.read(
                by: ResponseReading(
                    expectation: request.reading.expectation, importing: importing,
                    copies: importingOfCopies)),
            manager: self, into: .store)
    }

    /// Returns an operation that leaves mapping to its caller, without enqueueing it.
    package func receivingOperation<Value>(
        for request: AssembledRequest<Value>, into destination: OperationDestination? = nil
    ) -> ObjectRequestOperation<ObjectResponse> {
        ObjectRequestOperation(
            request.read(by: request.reading.withoutMapping), manager: self, into: destination)
    }

    /// Sends an assembled request as an operation, whose response is not mapped, whatever its status.
    ///
    /// - Parameter request: The request. Its interceptor is not used.
    /// - Returns: The status and header fields of the response.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    package func head<Value>(
        ofResponseTo request: AssembledRequest<Value>
    ) async throws -> HTTPResponse {
        var request = request.read(by: .nothing)
        request.expected = nil
        request.makeInterceptor = nil
        request.willMapDocument = nil
        request.acceptedStatusCodes = StatusCodeSet([300...399, 400...599])
        return try await ObjectRequestOperation(request, manager: self).call().head
    }

    /// Sends an assembled request as an operation, and maps the response in the caller's isolation.
    ///
    /// The operation executes until the closure has returned.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The destination for which the kind of the operation is registered.
    ///   - map: Maps the response.
    /// - Returns: The result of the closure.
    /// - Throws: ``NetworkingError``, the error of the closure, or `CancellationError`.
    package func perform<Value, Output>(
        _ request: AssembledRequest<Value>, into destination: OperationDestination? = nil,
        mapping map: (ObjectResponse) async throws -> Output
    ) async throws -> Output {
        try await receivingOperation(for: request, into: destination).call {
            try await map($0.value)
        }
    }
}

extension AssembledRequest {
    /// Returns the request with another way to map its response.
    func read<Other>(by reading: ResponseReading<Other>) -> AssembledRequest<Other> {
        AssembledRequest<Other>(
            transportRequest: transportRequest, requestedURL: requestedURL, path: path,
            expected: expected, bodyDocument: bodyDocument, bodyFormat: bodyFormat,
            keyPath: keyPath, reading: reading, metadata: metadata,
            willMapDocument: willMapDocument, priority: priority, configuration: configuration,
            destination: destination, acceptedStatusCodes: acceptedStatusCodes,
            ignoresUnreadableBody: ignoresUnreadableBody, located: located,
            keepsResponseBody: keepsResponseBody, makeInterceptor: makeInterceptor)
    }
}
