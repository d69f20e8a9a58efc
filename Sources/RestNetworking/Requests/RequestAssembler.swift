// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

/// Creates requests from paths and parameters by the configuration of an ``ObjectManager``.
struct RequestAssembler: Sendable {
    let configuration: ObjectManagerConfiguration

    var client: HTTPClient { configuration.client }

    /// The methods with parameters in the body; other methods have them in the query.
    private static let methodsWithBody: Set<HTTPRequest.Method> = [.patch, .post, .put]

    /// Returns a request with parameters in its query or its body, depending on the method.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/crossOrigin`` if the path
    ///   resolves to another origin than the base URL's, else
    ///   ``NetworkingError/Code/invalidRequest``.
    func request(
        _ method: HTTPRequest.Method, at path: String, parameters: Document
    ) throws(NetworkingError) -> TransportRequest {
        let hasBody = Self.methodsWithBody.contains(method)
        let url = try configuration.router.url(
            at: hasBody ? path : self.path(path, adding: parameters), method)
        var request = TransportRequest(method: method, url: url)
        request.headerFields[.accept] =
            client.defaultHeaders.contains(.accept) ? nil : configuration.defaultHeaders[.accept]
        if hasBody, !parameters.isEmptyObject { try write(parameters, to: &request) }
        return request
    }

    private func write(
        _ parameters: Document, to request: inout TransportRequest
    ) throws(NetworkingError) {
        let type = configuration.requestFormat
        do throws(DocumentError) {
            request.body = .bytes(try configuration.formats.write(parameters, as: type))
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: request.method.rawValue,
                url: request.url.redacted, path: error.path,
                causes: ["the parameters cannot be written as \(type)"], underlying: error)
        }
        request.headerFields[.contentType] =
            type.parameters["charset"] == nil ? "\(type); charset=utf-8" : "\(type)"
    }

    /// Returns a path with parameters added to its query.
    func path(
        _ path: String, adding parameters: Document
    ) throws(NetworkingError) -> String {
        let query: String
        do throws(DocumentError) {
            query = try FormFormat().text(of: parameters)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, path: error.path,
                causes: ["the parameters cannot be written as a query"], underlying: error)
        }
        guard !query.isEmpty else { return path }
        let separator = path.contains("?") ? (path.last == "?" || path.last == "&" ? "" : "&") : "?"
        return path + separator + query
    }
}

extension Document {
    /// A Boolean value that indicates whether the document is an object without members.
    fileprivate var isEmptyObject: Bool { root.kind == .object && root.count == 0 }
}
