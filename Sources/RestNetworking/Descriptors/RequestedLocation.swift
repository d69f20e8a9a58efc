// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// The URL of a request, prepared to be compared with many descriptors.
///
/// Descriptors describe what a path returns, so they are compared with the URL that was requested,
/// whatever URL answers after redirects.
struct RequestedLocation: Sendable {
    let url: HTTPURL
    /// The base URL of descriptors without one of their own.
    let baseURL: HTTPURL?
    private let pathsRelativeToBaseURL: [NormalizedPath]?

    init(url: HTTPURL, baseURL: HTTPURL?) {
        self.url = url
        self.baseURL = baseURL
        pathsRelativeToBaseURL = Self.paths(of: url, relativeTo: baseURL)
    }

    /// Returns the path relative to the base URL of a descriptor; `nil` if the URL is not below it.
    ///
    /// If the base URL has no path, there are two relative paths, such as `/articles` and
    /// `articles`, because a request for the URL may be written either way.
    func paths(relativeTo baseURL: HTTPURL?) -> [NormalizedPath]? {
        guard let baseURL, baseURL != self.baseURL else { return pathsRelativeToBaseURL }
        return Self.paths(of: url, relativeTo: baseURL)
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
