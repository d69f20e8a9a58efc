// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence
import RestTransport

extension ObjectManager {
    /// The rules that give the fetch requests of a URL; see
    /// ``RestNetworking/ObjectManagerConfiguration/fetchRequestRules``.
    public var fetchRequestRules: [FetchRequestRule] { managedConfiguration.fetchRequestRules }

    /// Adds a rule that gives the fetch requests of URLs.
    ///
    /// ```swift
    /// api.addFetchRequestRule { url in
    ///     url.relativePath == "airports" ? FetchRequest(Airport.self, where: { _ in .all }) : nil
    /// }
    /// ```
    ///
    /// - Parameter body: Returns the fetch request; `nil` if the rule is for other URLs.
    public func addFetchRequestRule(_ body: @escaping @Sendable (RelativeURL) -> FetchRequest?) {
        configure { $0.fetchRequestRules.append(FetchRequestRule(body)) }
    }

    /// Adds a rule that gives the fetch requests of URLs that match a path pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the path relative to the base URL.
    ///   - body: Returns the fetch request for the values of the pattern's parameters, which are
    ///     texts.
    /// - Throws: ``/RestNetworking/NetworkingError`` with code `invalidConfiguration` if the pattern
    ///   is invalid.
    public func addFetchRequestRule(
        at pattern: String, _ body: @escaping @Sendable (PathArguments) -> FetchRequest?
    ) throws(NetworkingError) {
        let rule = try FetchRequestRule(at: pattern, body)
        configure { $0.fetchRequestRules.append(rule) }
    }

    /// Returns the fetch requests of all rules for a response, those of the newest rule first.
    func fetchRequests(
        for response: ObjectResponse, by rules: [FetchRequestRule]
    ) -> [FetchRequest] {
        if rules.isEmpty { return [] }
        let bases = Set(response.matches.map { $0.descriptor.baseURL ?? baseURL })
        let base = bases.count > 1 ? nil : bases.first ?? baseURL
        let url = RelativeURL(response.url, relativeTo: base)
        return rules.reversed().compactMap { $0.fetchRequest(for: url) }
    }

    /// Returns the fetch requests of all rules for the URL of a list, those of the newest rule first.
    func fetchRequests(for url: HTTPURL, by rules: [FetchRequestRule]) -> [FetchRequest] {
        let url = RelativeURL(url, relativeTo: baseURL)
        return rules.reversed().compactMap { $0.fetchRequest(for: url) }
    }
}
