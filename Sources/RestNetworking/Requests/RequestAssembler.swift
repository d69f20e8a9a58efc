// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

/// Makes requests from a path and parameters, as an ``ObjectManager`` sends them.
struct RequestAssembler: Sendable {
    let configuration: ObjectManagerConfiguration

    var client: HTTPClient { configuration.client }

    /// The methods whose parameters go into the body; those of others go into the query.
    private static let methodsWithBody: Set<HTTPRequest.Method> = [.patch, .post, .put]

    /// A request with its parameters in the query or in the body, as its method wants it.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/foreignOrigin`` if the path
    ///   leads away from the base, else ``NetworkingError/Code/invalidRequest``.
    func request(
        _ method: HTTPRequest.Method, at path: String, parameters: Document
    ) throws(NetworkingError) -> TransportRequest {
        let hasBody = Self.methodsWithBody.contains(method)
        let url = try url(of: hasBody ? path : self.path(path, adding: parameters), method)
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

    /// A path with parameters added to the query it may have already.
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
        let joint = path.contains("?") ? (path.last == "?" || path.last == "&" ? "" : "&") : "?"
        return path + joint + query
    }

    private func url(
        of path: String, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> HTTPURL {
        let base = client.baseURL
        let url: HTTPURL
        do throws(TransportError) {
            url = try base.resolving(path)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue, url: base.redacted,
                causes: ["the path is not one under the base URL"], underlying: error)
        }
        guard url.origin == base.origin else {
            throw NetworkingError(
                .foreignOrigin, stage: .assembly, method: method.rawValue, url: url.redacted,
                causes: ["the base URL's origin is \(base.origin)"])
        }
        return url
    }
}

extension Document {
    /// Whether there is nothing to send.
    fileprivate var isEmptyObject: Bool { root.kind == .object && root.count == 0 }
}
