// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

/// Makes requests from a path and parameters, as an ``ObjectManager`` sends them.
struct RequestAssembler: Sendable {
    let client: HTTPClient

    /// A request without body, with its parameters in the query.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/foreignOrigin`` if the path
    ///   leads away from the base, else ``NetworkingError/Code/invalidRequest``.
    func request(
        _ method: HTTPRequest.Method, at path: String, parameters: RequestParameters
    ) throws(NetworkingError) -> TransportRequest {
        let url = try url(of: QueryEncoding.path(path, adding: parameters), method)
        var request = TransportRequest(method: method, url: url)
        if !client.defaultHeaders.contains(.accept) {
            request.headerFields[.accept] = ResponseFormat.accepted
        }
        return request
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
