// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport

extension ResponseDescriptor {
    /// The first condition of a descriptor that a response does not fulfil.
    enum Mismatch: Sendable, Hashable {
        /// The descriptor is invalid and matches nothing.
        case descriptor
        case method
        case baseURL
        case path
        case status
        /// The document has no value at the key path.
        case keyPath
    }

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
    /// - Parameter url: The URL of a response.
    /// - Returns: `true` if the URL matches.
    public func matches(url: HTTPURL) -> Bool {
        diagnostics.isEmpty && mismatch(of: ResponseLocation(url: url, baseURL: nil)) == nil
    }

    /// Returns a Boolean value that indicates whether a response matches by method, URL and status.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - method: The method of the request.
    ///   - url: The URL of the response.
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

    /// Returns the condition that a response does not fulfil; `nil` if it matches.
    func mismatch(
        of location: ResponseLocation, method: HTTPRequest.Method, status: Int
    ) -> Mismatch? {
        if !diagnostics.isEmpty { return .descriptor }
        if !matches(method: method) { return .method }
        if let mismatch = mismatch(of: location) { return mismatch }
        return matches(status: status) ? nil : .status
    }

    /// Returns the condition that a URL does not fulfil; `nil` if it matches.
    func mismatch(of location: ResponseLocation) -> Mismatch? {
        guard let paths = location.paths(relativeTo: baseURL ?? location.baseURL) else {
            return .baseURL
        }
        guard let pathPattern else { return nil }
        return paths.contains { pathPattern.matches($0) } ? nil : .path
    }

    /// Returns a line for an error message.
    func explanation(
        of mismatch: Mismatch, at location: ResponseLocation, method: HTTPRequest.Method,
        status: Int
    ) -> String {
        let baseURL = baseURL ?? location.baseURL
        switch mismatch {
        case .descriptor: return "\(self): the descriptor is invalid"
        case .method: return "\(self): the method is \(method.rawValue)"
        case .baseURL: return "\(self): the URL is not under \(baseURL?.description ?? "")"
        case .path:
            let path = location.paths(relativeTo: baseURL)?.first?.description ?? ""
            return "\(self): the path \"\(path)\" does not match \"\(self.path ?? "")\""
        case .status:
            return "\(self): status \(status) is not in \(statusCodes?.description ?? "")"
        case .keyPath: return "\(self): there is nothing at its key path"
        }
    }

    /// Returns the values of the pattern's parameters in the URL of a response.
    func arguments(in location: ResponseLocation) -> PathArguments {
        guard let pathPattern, let paths = location.paths(relativeTo: baseURL ?? location.baseURL)
        else {
            return PathArguments()
        }
        return paths.lazy.compactMap { pathPattern.arguments(in: $0) }.first
            ?? PathArguments()
    }
}

/// The URL of a response, prepared to be compared with many descriptors.
struct ResponseLocation: Sendable {
    let url: HTTPURL
    let baseURL: HTTPURL?
    private let pathsRelativeToBaseURL: [NormalizedPath]?

    init(url: HTTPURL, baseURL: HTTPURL?) {
        self.url = url
        self.baseURL = baseURL
        pathsRelativeToBaseURL = Self.paths(of: url, relativeTo: baseURL)
    }

    /// Returns the path relative to a base URL; `nil` if the URL is not below the base URL.
    ///
    /// If the base URL has no path, there are two relative paths, such as `/articles` and
    /// `articles`, because a request for the URL may be written either way.
    func paths(relativeTo baseURL: HTTPURL?) -> [NormalizedPath]? {
        baseURL == self.baseURL
            ? pathsRelativeToBaseURL : Self.paths(of: url, relativeTo: baseURL)
    }

    private static func paths(
        of url: HTTPURL, relativeTo baseURL: HTTPURL?
    ) -> [NormalizedPath]? {
        guard let path = url.relativePart(to: baseURL) else { return nil }
        guard let baseURL, baseURL.path.isEmpty, path.utf8.first == UInt8(ascii: "/") else {
            return [NormalizedPath(path)]
        }
        return [NormalizedPath(path), NormalizedPath(path.dropFirst())]
    }
}
