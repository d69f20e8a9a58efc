// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestTransport

extension ObjectManager {
    /// Returns the response descriptors that apply to a response, and why the others do not,
    /// without sending a request.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - path: The path of the request, relative to the base URL.
    ///   - status: The status code of the response.
    /// - Returns: The descriptors that match and those that do not.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` or
    ///   ``NetworkingError/Code/crossOrigin`` if no request can have the path.
    public func explain(
        method: HTTPRequest.Method = .get, path: String, status: Int = 200
    ) throws(NetworkingError) -> DescriptorExplanation {
        let configuration = snapshot
        let url = try configuration.value.client.baseURL.url(at: path, method)
        return DescriptorExplanation(
            of: DescribedExchange(
                location: RequestedLocation(url: url, baseURL: configuration.value.client.baseURL),
                method: method, status: status),
            by: configuration.value.responseDescriptors)
    }
}
