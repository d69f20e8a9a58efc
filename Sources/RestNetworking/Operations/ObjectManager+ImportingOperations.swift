// SPDX-License-Identifier: Apache-2.0

package import RestMapping

extension ObjectManager {
    /// Returns an operation whose response is imported by a function, without enqueueing it.
    ///
    /// - Parameters:
    ///   - request: The assembled request.
    ///   - destination: The destination for which the kind of the operation is registered.
    ///   - importing: Imports the response, and adds issues and counts to the report.
    /// - Returns: The operation.
    package func operation<Value>(
        for request: AssembledRequest<ObjectResponse>, into destination: OperationDestination,
        importing:
            @escaping @Sendable (ObjectResponse, inout MappingReport) async throws -> sending Value
    ) -> ObjectRequestOperation<Value> {
        ObjectRequestOperation(
            request.read(by: importing), manager: self, into: destination)
    }
}

extension AssembledRequest {
    /// Returns the request with another way to map its response.
    fileprivate func read<Other>(
        by map:
            @escaping @Sendable (ObjectResponse, inout MappingReport) async throws -> sending Other
    ) -> AssembledRequest<Other> {
        let expectation: ResponseReading<Other>.Expectation =
            switch reading.expectation {
            case .type(let mapping): .type(mapping)
            case .descriptor(let descriptor): .descriptor(descriptor)
            case .descriptors: .descriptors
            case .nothing: .nothing
            }
        return AssembledRequest<Other>(
            transportRequest: transportRequest, requestedURL: requestedURL, path: path,
            expected: expected, bodyDocument: bodyDocument, keyPath: keyPath,
            reading: ResponseReading(expectation: expectation, importing: map), metadata: metadata,
            willMapDocument: willMapDocument, priority: priority, configuration: configuration,
            acceptedStatusCodes: acceptedStatusCodes, ignoresUnreadableBody: ignoresUnreadableBody,
            makeInterceptor: makeInterceptor)
    }
}
