// SPDX-License-Identifier: Apache-2.0

import RestDefinition
public import RestDocument

/// An inference of a definition from the responses of an API.
///
/// ```swift
/// var inference = DefinitionInference()
/// inference.observe(document, from: "https://api.example.com/v1/articles", fields: fields)
/// let result = inference.result()
/// print(result.summary.joined(separator: "\n"))
/// ```
///
/// Each response only widens what is inferred. The memory is bounded: it depends on the number of
/// distinct keys, and
/// on at most 100,000 hashed values of each identity, not on the number of responses.
public struct DefinitionInference: Sendable {
    /// The maximum number of resources.
    private static let maximumResourceCount = 1_000

    private var resources: [ResourceObservation] = []
    private var indices: [ResourceKey: Int] = [:]
    private var origins: [String] = []
    /// The resources whose responses name a page at another path as the next one, by the components of that path.
    private var successors: [[String]: Int] = [:]

    private struct ResourceKey: Hashable {
        let template: PathTemplate
        let name: String?
        let isPosted: Bool
    }

    /// Creates an inference without responses.
    public init() {}

    /// A Boolean value that indicates whether no response was observed.
    public var isEmpty: Bool { resources.isEmpty }

    /// Observes a response.
    ///
    /// Responses for URLs that differ in identities and in the query belong to one resource, and so does a page
    /// at the URL that an earlier response has named as the next one.
    ///
    /// - Parameters:
    ///   - document: The body.
    ///   - url: The URL of the request; an empty text if it is not known.
    ///   - fields: The header fields of the response.
    ///   - name: The name of the resource; `nil` to derive one from the URL.
    ///   - body: The body of a POST request, an empty object for none; `nil` for GET. A response that shows no list,
    ///     and one at a path that is no search and has no pages, is not that of a resource.
    /// - Complexity: O(*n*) in the size of the document.
    public mutating func observe(
        _ document: Document, from url: String, fields: [HeaderField] = [],
        resource name: String? = nil, posting body: Document? = nil
    ) {
        observe(document, URLText(url).withoutSecrets, fields, resource: name, posting: body)
    }

    mutating func observe(
        _ document: Document, _ text: URLText, _ fields: [HeaderField],
        resource name: String? = nil, posting body: Document? = nil
    ) {
        let template = PathTemplate(text)
        let key = ResourceKey(template: template, name: name, isPosted: body != nil)
        if !text.origin.isEmpty, !origins.contains(text.origin), origins.count < 16 {
            origins.append(text.origin)
        }
        let index: Int
        if let known = indices[key] {
            index = known
        } else if let known = successors.removeValue(forKey: text.components),
            name == nil || name == resources[known].givenName
        {
            index = known
            indices[key] = known
        } else {
            guard resources.count < Self.maximumResourceCount else { return }
            index = resources.count
            indices[key] = index
            resources.append(ResourceObservation(template: template, givenName: name))
        }
        resources[index].observe(document, text, fields, posted: body)
        if let next = resources[index].successor, PathTemplate(next) != template {
            successors[next.components] = index
        }
    }

    /// Returns the definition that the responses show, with the reasons.
    ///
    /// - Complexity: O(*n*²) in the number of places with objects.
    public func result() -> InferredDefinition {
        var builder = DefinitionBuilder(
            resources.filter { $0.plan != nil && $0.isRead }, origin: origins.first ?? "")
        return builder.result()
    }
}
