// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence
public import RestTransport

/// A function from the URL of a response to a fetch request for the objects that it lists.
///
/// The objects that the fetch request finds and the response does not contain are orphans, which are
/// deleted. If a response was not modified and the store has no collection of its request, they are its
/// result.
///
/// - Source: `RKFetchRequestBlock`.
public struct FetchRequestRule: Sendable {
    private let body: @Sendable (RelativeURL) -> FetchRequest?

    /// Creates a rule.
    ///
    /// - Parameter body: Returns the fetch request; `nil` if the rule is for other URLs. It is called
    ///   for each response to a GET request, so it should be cheap, and must not depend on anything
    ///   but the URL.
    public init(_ body: @escaping @Sendable (RelativeURL) -> FetchRequest?) {
        self.body = body
    }

    /// Creates a rule for the URLs that match a path pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the path relative to the base URL.
    ///   - body: Returns the fetch request for the values of the pattern's parameters, which are
    ///     texts.
    /// - Throws: ``/RestNetworking/NetworkingError`` with code `invalidConfiguration` if the pattern
    ///   is invalid.
    public init(
        at pattern: String, _ body: @escaping @Sendable (PathArguments) -> FetchRequest?
    ) throws(NetworkingError) {
        let pattern = try PathPattern(pattern)
        self.init { url in url.arguments(matching: pattern).flatMap(body) }
    }

    /// Returns the fetch request for a URL; `nil` if the rule is for other URLs.
    public func fetchRequest(for url: RelativeURL) -> FetchRequest? { body(url) }
}

/// The URL of a response, relative to a base URL.
public struct RelativeURL: Sendable, Hashable {
    /// The complete URL.
    public let url: HTTPURL

    /// The base URL; `nil` if the URL is not below the one base URL of the response descriptors.
    public let baseURL: HTTPURL?

    /// The path relative to the base URL, and the query; without a base URL, the complete path and
    /// the query.
    public let relativeString: String

    /// Creates the relative form of a URL.
    public init(_ url: HTTPURL, relativeTo base: HTTPURL?) {
        let base = base?.asBase
        let relative = base.flatMap { url.relativePart(to: $0) }
        self.url = url
        baseURL = relative == nil ? nil : base
        relativeString = relative ?? url.requestTarget
    }

    /// The path of ``relativeString``, without a slash at its end.
    public var relativePath: String {
        var path = relativeString.prefix { $0 != "?" }
        if path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// Returns the values of a pattern's parameters in the path; `nil` if it does not match.
    public func arguments(matching pattern: PathPattern) -> PathArguments? {
        pattern.arguments(in: relativePath)
    }
}
