// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport

extension ResponseDescriptor {
    /// Returns a Boolean value that indicates whether a path matches the descriptor's pattern.
    ///
    /// - Parameter path: A percent-encoded path relative to the base URL. Its query is ignored.
    /// - Returns: `true` if the path matches, or if the path or the pattern is `nil`.
    public func matches(path: String?) -> Bool {
        guard diagnostics.isEmpty else { return false }
        guard let path, let pathPattern else { return true }
        return pathPattern.matches(path)
    }

    /// Returns a Boolean value that indicates whether a URL is below the descriptor's base URL and
    /// its path matches the pattern.
    ///
    /// - Parameter url: The URL of a request.
    /// - Returns: `true` if the URL matches.
    public func matches(url: HTTPURL) -> Bool {
        diagnostics.isEmpty && matches(RequestedLocation(url: url, baseURL: nil))
    }

    /// Returns a Boolean value that indicates whether a response matches by method, URL and status.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - method: The method of the request.
    ///   - url: The URL of the request.
    /// - Returns: `true` if the response matches.
    public func matches(
        response head: HTTPResponse, to method: HTTPRequest.Method, url: HTTPURL
    ) -> Bool {
        matches(method: method) && matches(status: head.status.code) && matches(url: url)
    }

    /// Returns a Boolean value that indicates whether the descriptor is for a request method.
    public func matches(method: HTTPRequest.Method) -> Bool {
        methods.contains(method)
    }

    /// Returns a Boolean value that indicates whether the descriptor is for a status code.
    public func matches(status: Int) -> Bool {
        statusCodes?.contains(status) ?? true
    }

    /// Returns a Boolean value that indicates whether a URL is below the base URL and its path
    /// matches the pattern.
    func matches(_ location: RequestedLocation) -> Bool {
        guard let paths = location.paths(relativeTo: baseURL) else { return false }
        guard let pathPattern else { return true }
        return paths.contains { pathPattern.matches($0) }
    }

    /// Returns the values of the pattern's parameters in a requested URL.
    func arguments(in location: RequestedLocation) -> PathArguments {
        guard let pathPattern, let paths = location.paths(relativeTo: baseURL) else {
            return PathArguments()
        }
        return paths.lazy.compactMap { pathPattern.arguments(in: $0) }.first ?? PathArguments()
    }
}
