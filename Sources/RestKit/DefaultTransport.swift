// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestTransport

#if canImport(Darwin)
import RestURLSession
#else
import RestCurl
#endif

extension HTTPClient {
    /// Makes a client over the platform's own transport: URLSession on Apple platforms, libcurl
    /// elsewhere.
    ///
    /// Every client made this way has connections of its own; copies of it share them.
    ///
    /// - Parameter baseURL: What relative paths are relative to.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the text is not an absolute http
    ///   or https address.
    public init(baseURL: String) throws(TransportError) {
        #if canImport(Darwin)
        try self.init(baseURL: baseURL, transport: URLSessionTransport())
        #else
        try self.init(baseURL: baseURL, transport: CurlTransport())
        #endif
    }
}

extension ObjectManager {
    /// Makes a manager over the platform's own transport.
    ///
    /// - Parameter baseURL: What paths are relative to, such as `https://api.example.com/v1/`.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` when
    ///   the text is not an absolute http or https address.
    public convenience init(baseURL: String) throws(NetworkingError) {
        do throws(TransportError) {
            self.init(client: try HTTPClient(baseURL: baseURL))
        } catch {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: ["the base URL is no address"],
                underlying: error)
        }
    }
}
