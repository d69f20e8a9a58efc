// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The problem that an error response of type `application/problem+json` describes.
///
/// An error response of that type that no descriptor maps has its problem as the only element of
/// ``NetworkingError/mappedErrors``; no configuration is needed.
///
/// ```swift
/// do {
///     try await api.post(order, at: "orders")
/// } catch let error as NetworkingError {
///     guard let problem = error.problem, problem.type == "https://example.com/out-of-credit"
///     else { throw error }
///     show(problem.title, problem.extensions.root["balance"]?.int64)
/// }
/// ```
///
/// Members of another kind than the standard's are ignored, as it requires.
///
/// - Source: RFC 9457 §3.
public struct ProblemDetails: Error, Sendable {
    /// A URI reference that identifies the type of the problem; `about:blank` if it is absent.
    public var type: String

    /// A short summary of the type of the problem.
    public var title: String?

    /// The status code that the server set, for later use without the response.
    public var status: Int?

    /// An explanation of this occurrence of the problem.
    public var detail: String?

    /// A URI reference that identifies this occurrence.
    public var instance: String?

    /// The other members.
    public var extensions: Document

    /// Creates the details of a problem.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil,
        detail: String? = nil, instance: String? = nil, extensions: Document = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// Creates the details of a problem from its document; `nil` if that is not an object.
    public init?(_ document: Document) {
        let root = document.root
        guard root.kind == .object else { return nil }
        let known: Set<String> = ["type", "title", "status", "detail", "instance"]
        self.init(
            type: root["type"]?.string ?? "about:blank", title: root["title"]?.string,
            status: root["status"]?.int64.flatMap { Int(exactly: $0) },
            detail: root["detail"]?.string,
            instance: root["instance"]?.string,
            extensions: .object(
                root.members.filter { !known.contains($0.0) }.map { name, value in
                    var builder = DocumentBuilder()
                    builder.value(value)
                    return (name, builder.finish())
                }))
    }

    /// A Boolean value that indicates whether a media type is that of problem details in JSON.
    static func isMediaType(of head: HTTPResponse) -> Bool {
        head.mediaType?.essence == "application/problem+json"
    }
}

extension ProblemDetails: Hashable {
    /// Returns a Boolean value that indicates whether two problems have the same members.
    public static func == (left: ProblemDetails, right: ProblemDetails) -> Bool {
        left.type == right.type && left.title == right.title && left.status == right.status
            && left.detail == right.detail && left.instance == right.instance
            && left.extensions.root == right.extensions.root
    }

    /// Hashes the standard members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(title)
        hasher.combine(status)
        hasher.combine(detail)
        hasher.combine(instance)
    }
}

extension ProblemDetails: CustomStringConvertible, LocalizedError {
    /// The title and the detail, or else the type.
    public var description: String {
        let text = [title, detail].compactMap(\.self).joined(separator: ": ")
        return text.isEmpty ? type : text
    }

    /// The title and the detail, or else the type.
    public var errorDescription: String? { description }
}

extension NetworkingError {
    /// The problem that the server described in the format of RFC 9457; `nil` if it did not.
    public var problem: ProblemDetails? {
        mappedErrors.lazy.compactMap { $0 as? ProblemDetails }.first
    }
}
