// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport

/// The response descriptors that apply to a response, and why the others do not.
///
/// ```swift
/// print(try api.explain(path: "articles/42"))
/// // GET https://api.example.com/v1/articles/42, status 200: 1 of 2 descriptors matches
/// // + Article at "articles/:id" in "article" with status 200-299
/// // - Article at "articles" in "articles" with status 200-299: the path "articles/42" does not …
/// ```
public struct DescriptorExplanation: Sendable {
    /// The request method.
    public let method: HTTPRequest.Method

    /// The requested URL.
    public let url: HTTPURL

    /// The status code of the response.
    public let status: Int

    /// The descriptors that are used if the document has values at their key paths, the newest
    /// first.
    public let matching: [ResponseDescriptor]

    /// The other descriptors, the most similar first.
    public let mismatches: [DescriptorMismatch]

    init(of exchange: DescribedExchange, by index: ResponseDescriptorIndex) {
        method = exchange.method
        url = exchange.location.url
        status = exchange.status
        let candidates = index.descriptors(
            at: exchange.location, method: method, status: status)
        matching = DescriptorSelection.mostPrecise(candidates)
        var used = matching
        let unused = index.descriptors.filter { descriptor in
            guard let position = used.firstIndex(of: descriptor) else { return true }
            used.remove(at: position)
            return false
        }
        mismatches = Self.ranked(unused, for: exchange, otherwise: .precedence)
    }

    /// Returns the mismatches of descriptors, the most similar first and of these the newest.
    static func ranked(
        _ descriptors: [ResponseDescriptor], for exchange: DescribedExchange,
        otherwise remaining: DescriptorMismatch.Condition
    ) -> [DescriptorMismatch] {
        // A stable sort keeps the order of equals.
        descriptors.reversed()
            .map { DescriptorMismatch(of: $0, for: exchange, otherwise: remaining) }
            .sorted { $0.distance < $1.distance }
    }
}

extension DescriptorExplanation: CustomStringConvertible {
    /// A line for the response and one for each descriptor.
    ///
    /// The URL has no query.
    public var description: String {
        let count = matching.count + mismatches.count
        var lines = [
            "\(method.rawValue) \(url.redacted), status \(status): "
                + "\(matching.count) of \(count) descriptors \(matching.count == 1 ? "matches" : "match")"
        ]
        lines += matching.map { "+ \($0)" }
        lines += mismatches.map { "- \($0)" }
        return lines.joined(separator: "\n")
    }
}
