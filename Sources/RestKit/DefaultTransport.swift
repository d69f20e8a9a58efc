// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestNetworking
public import RestTransport

#if canImport(Darwin)
import RestURLSession
#else
import RestCurl
#endif

extension HTTPClient {
    /// Creates a client with the default transport of the platform: URLSession on Apple platforms,
    /// libcurl on others.
    ///
    /// Each client has its own connections. Copies of a client share them.
    ///
    /// - Parameter baseURL: The URL against which relative paths are resolved.
    /// - Throws: `TransportError` with code `invalidRequest` if the text is not an absolute `http`
    ///   or `https` URL.
    public init(baseURL: String) throws(TransportError) {
        #if canImport(Darwin)
        try self.init(baseURL: baseURL, transport: URLSessionTransport())
        #else
        try self.init(baseURL: baseURL, transport: CurlTransport())
        #endif
    }
}

extension ObjectManager {
    /// Creates an object manager with the default transport of the platform.
    ///
    /// ```swift
    /// let api = try ObjectManager(baseURL: "https://api.example.com/v1/", requestFormat: .json)
    /// ```
    ///
    /// - Parameters:
    ///   - baseURL: The URL against which paths are resolved, such as
    ///     `https://api.example.com/v1/`.
    ///   - requestFormat: The media type of request bodies: forms or `.json`.
    /// - Throws: ``/RestNetworking/NetworkingError`` with code `invalidConfiguration` if the
    ///   text is not an absolute `http` or `https` URL, or if no format is registered for the type.
    public convenience init(
        baseURL: String, requestFormat: MediaType = .formURLEncoded
    ) throws(NetworkingError) {
        let client: HTTPClient
        do throws(TransportError) {
            client = try HTTPClient(baseURL: baseURL)
        } catch {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: ["the base URL is no address"],
                underlying: error)
        }
        try self.init(client: client, requestFormat: requestFormat)
    }
}
