// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport

extension ResponseDescriptor {
    /// Why a descriptor does not describe a response.
    enum Mismatch: Sendable, Hashable {
        case mistakes
        case method
        case base
        case path
        case status
        /// There is nothing at the key path.
        case absent
    }

    /// Whether a path relative to the base URL fits; the query is ignored.
    ///
    /// - Parameter path: An encoded path; `nil` fits, as does every path if there is no pattern.
    /// - Returns: Whether the path fits.
    public func matches(path: String?) -> Bool {
        guard mistakes.isEmpty else { return false }
        guard let path, let pathPattern else { return true }
        return pathPattern.matches(path)
    }

    /// Whether a URL is under the descriptor's base and its path fits.
    ///
    /// - Parameter url: The URL that answered.
    /// - Returns: Whether the URL fits.
    public func matches(url: HTTPURL) -> Bool {
        mistakes.isEmpty && mismatch(of: ExchangePlace(url: url, base: nil)) == nil
    }

    /// Whether a response fits: its request's method, its URL and its status.
    ///
    /// - Parameters:
    ///   - head: The response's head.
    ///   - method: The request's method.
    ///   - url: The URL that answered.
    /// - Returns: Whether the response fits.
    public func matches(
        response head: HTTPResponse, to method: HTTPRequest.Method, url: HTTPURL
    ) -> Bool {
        matches(method: method) && matches(status: head.status.code) && matches(url: url)
    }

    /// Whether a request method fits.
    public func matches(method: HTTPRequest.Method) -> Bool {
        methods?.contains(method) ?? true
    }

    /// Whether a status fits.
    public func matches(status: Int) -> Bool {
        statusCodes?.contains(status) ?? true
    }

    /// Why a response does not fit; `nil` if it does.
    func mismatch(
        of place: ExchangePlace, method: HTTPRequest.Method, status: Int
    ) -> Mismatch? {
        if !mistakes.isEmpty { return .mistakes }
        if !matches(method: method) { return .method }
        if let mismatch = mismatch(of: place) { return mismatch }
        return matches(status: status) ? nil : .status
    }

    /// Why the place of a response does not fit; `nil` if it does.
    func mismatch(of place: ExchangePlace) -> Mismatch? {
        guard let candidates = place.candidates(under: baseURL ?? place.base) else { return .base }
        guard let pathPattern else { return nil }
        return candidates.contains { pathPattern.matches($0) } ? nil : .path
    }

    /// A mismatch in words.
    func explanation(
        of mismatch: Mismatch, at place: ExchangePlace, method: HTTPRequest.Method, status: Int
    ) -> String {
        let base = baseURL ?? place.base
        switch mismatch {
        case .mistakes: return "\(self): the descriptor has mistakes"
        case .method: return "\(self): the method is \(method.rawValue)"
        case .base: return "\(self): the URL is not under \(base?.description ?? "")"
        case .path:
            let path = place.candidates(under: base)?.first?.description ?? ""
            return "\(self): the path \"\(path)\" does not match \"\(self.path ?? "")\""
        case .status:
            return "\(self): status \(status) is not in \(statusCodes?.description ?? "")"
        case .absent: return "\(self): there is nothing at its key path"
        }
    }

    /// The values of the pattern's parameters in the URL of a response.
    func arguments(in place: ExchangePlace) -> PathArguments {
        guard let pathPattern, let candidates = place.candidates(under: baseURL ?? place.base)
        else {
            return PathArguments()
        }
        return candidates.lazy.compactMap { pathPattern.arguments(in: $0) }.first
            ?? PathArguments()
    }
}

/// Where a response came from, prepared to be compared with many descriptors.
struct ExchangePlace: Sendable {
    let url: HTTPURL
    let base: HTTPURL?
    private let underBase: [PathCandidate]?

    init(url: HTTPURL, base: HTTPURL?) {
        self.url = url
        self.base = base
        underBase = Self.candidates(of: url, under: base)
    }

    /// The path relative to a base; `nil` if the URL is not under it.
    ///
    /// Relative to a base without any path there are two readings, `/articles` and `articles`, for
    /// both are how a request for that URL is written.
    func candidates(under base: HTTPURL?) -> [PathCandidate]? {
        base == self.base ? underBase : Self.candidates(of: url, under: base)
    }

    private static func candidates(of url: HTTPURL, under base: HTTPURL?) -> [PathCandidate]? {
        guard let path = url.relativePart(to: base) else { return nil }
        guard let base, base.path.isEmpty, path.utf8.first == UInt8(ascii: "/") else {
            return [PathCandidate(path)]
        }
        return [PathCandidate(path), PathCandidate(path.dropFirst())]
    }
}
