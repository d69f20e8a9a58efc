// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
package import RestMapping
import RestTransport

extension ObjectManager {
    /// Sends a request and returns the value of the response with its head and the mapping report.
    ///
    /// The request is an operation of the ``operationQueue``, like those of all calls of a manager: it waits
    /// for its turn there, and can be found and cancelled. It has three stages, which report their
    /// errors by ``NetworkingError/stage``: the request is assembled from its route, object and
    /// parameters; it is sent, and the response is matched with descriptors; the response is mapped.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response with a new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    /// - Isolation: The request is assembled in the caller's isolation. Receiving, parsing and mapping
    ///   run outside of it.
    public func send<Value>(
        _ request: ObjectRequest<Value>
    ) async throws -> sending MappedResponse<Value> {
        let assembled = try assemble(request)
        return try await perform(assembled)
    }

    /// Returns a request as bytes, with everything needed to read its response.
    ///
    /// - Throws: ``NetworkingError`` with stage ``NetworkingError/Stage/assembly``, or
    ///   ``NetworkingError/Stage/configuration`` for an invalid mapping. Nothing was sent then.
    package func assemble<Value>(
        _ request: ObjectRequest<Value>
    ) throws(NetworkingError) -> AssembledRequest<Value> {
        try RequestAssembler(configuration: snapshot).assemble(request)
    }

    /// Returns the path of the resource of GET requests that are sent repeatedly.
    ///
    /// - Throws: ``NetworkingError`` if there is no route.
    package func routedPath(
        of target: some RequestTargetConvertible
    ) throws(NetworkingError) -> RoutedPath {
        try RequestAssembler(configuration: snapshot).route(ObjectRequest<Void>(.get, at: target))
    }

    /// Sends an assembled request as an operation, and maps the response.
    package func perform<Value>(
        _ request: AssembledRequest<Value>
    ) async throws -> sending MappedResponse<Value> {
        try await ObjectRequestOperation(request, manager: self).call()
    }

    /// Sends an assembled request as an operation, parses the response and selects its descriptors, without
    /// mapping.
    package func response<Value>(
        to request: AssembledRequest<Value>
    ) async throws -> ObjectResponse {
        try await receivingOperation(for: request).call().value
    }

    /// Exchanges an assembled request for a response, parses it and selects its descriptors, as a part of an
    /// operation.
    @concurrent
    func exchange<Value>(
        _ request: AssembledRequest<Value>
    ) async throws -> ObjectResponse {
        let configuration = request.configuration
        try Task.checkCancellation()
        let response: TransportResponse
        let interceptor = request.makeInterceptor?()
        do {
            var client = configuration.value.client(for: request.transportRequest)
            if let interceptor { client.interceptors.insert(interceptor, at: 0) }
            response = try await client.send(request.transportRequest)
        } catch let error as TransportError {
            throw NetworkingError(
                .transportFailed, stage: .transport,
                method: request.transportRequest.method.rawValue,
                url: request.transportRequest.url.redacted, underlying: error)
        }
        var matched = try await read(response, to: request)
        matched.interceptor = interceptor
        matched.originalRequest = request.transportRequest
        try Task.checkCancellation()
        return matched
    }

    /// Maps a response, reports issues, and marks its stored response as mapped in the client's
    /// cache.
    ///
    /// All mapping of responses goes through this function, into new objects, existing objects and
    /// stores, so that no caller has to know about the cache, and no report is lost.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - transform: Maps the response, and adds issues and counts to the report. If it throws, the
    ///     stored response is not marked; the report is delivered nevertheless.
    /// - Returns: The result of the transform.
    /// - Throws: The error of the transform.
    package func map<Output>(
        _ response: ObjectResponse,
        _ transform: (ObjectResponse, inout MappingReport) async throws -> sending Output
    ) async throws -> sending Output {
        var report = MappingReport()
        let output: Output
        do {
            output = try await transform(response, &report)
        } catch {
            deliver(report, of: response)
            throw error
        }
        deliver(report, of: response)
        await markMapped(response)
        return output
    }

    /// Marks the stored response as mapped in the client's cache.
    package func markMapped(_ response: ObjectResponse) async {
        if let reference = response.cacheReference {
            await client.cache?.markMapped(reference)
        }
    }
}

extension AssembledRequest {
    /// The reader of the response.
    var reader: ResponseReader {
        let (request, configuration, metadata) = (transportRequest, configuration, metadata)
        return ResponseReader(
            descriptors: DescriptorSelection(
                descriptors: configuration.value.responseDescriptors, expected: expected,
                keyPath: keyPath),
            location: RequestedLocation(
                url: requestedURL, baseURL: configuration.value.client.baseURL),
            formats: FormatSelection(
                formats: configuration.value.formats, limits: configuration.value.parseLimits),
            ignoresBody: reading.ignoresBody, returnsErrors: reading.returnsErrors,
            acceptedStatusCodes: acceptedStatusCodes, keepsBody: keepsResponseBody,
            ignoresUnreadableBody: ignoresUnreadableBody, located: located,
            willMapDocument: willMapDocument
        ) { matches, response in
            var prepared = matches
            var values: [Document] = []
            if matches.contains(where: \.plan.usesMetadata) {
                values = [
                    metadata.document(
                        for: request, defaults: configuration.value.defaultHeaders,
                        response: response, matches: matches)
                ]
            }
            for index in prepared.indices {
                prepared[index].index = index
                prepared[index].metadata = values
                prepared[index].decoder =
                    prepared[index].descriptor.decoder ?? configuration.value.decoder
            }
            return prepared
        }
    }
}

extension ResponseDescriptor {
    /// The decoder that the mapping of a type that decodes itself declares.
    fileprivate var decoder: DocumentDecoder? {
        guard case .codable(let mapping) = mapping.mapping, !isDefault else { return nil }
        return mapping.decoder
    }
}
