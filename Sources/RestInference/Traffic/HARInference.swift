// SPDX-License-Identifier: Apache-2.0

public import RestDefinition
public import RestDocument

/// An inference of a definition from recorded traffic in the HTTP Archive format (HAR 1.2).
///
/// Successful GET requests with JSON responses are read, of the origin with most of them. Values of credentials are
/// dropped while reading: neither the definition nor the reasons contain one.
public enum HARInference {
    /// Returns the definition that recorded traffic shows.
    ///
    /// - Parameter document: The archive.
    /// - Returns: The definition with the reasons.
    /// - Throws: `DefinitionError` if the document is not an archive, or if it has no JSON response.
    public static func result(of document: Document) throws(DefinitionError) -> InferredDefinition {
        guard let entries = document.root["log"]?["entries"], entries.kind == .array else {
            throw error(
                "the document is not an HTTP archive",
                "export the traffic with its content as HAR 1.2")
        }
        let exchanges = entries.elements.compactMap { RecordedExchange($0) }
        guard let origin = mostFrequentOrigin(exchanges) else {
            throw error(
                "the archive has no successful GET request with a JSON response",
                "record the traffic with the bodies of responses")
        }
        var inference = DefinitionInference()
        var credentials = CredentialCount()
        for exchange in exchanges where exchange.url.origin == origin {
            inference.observe(
                exchange.document, exchange.url, exchange.fields, posting: exchange.posted)
            credentials.observe(exchange)
        }
        var result = inference.result()
        let (authentication, reason) = credentials.finding()
        result.definition.api.authentication = authentication
        if let reason { result.evidence["api.auth"] = reason }
        return result
    }

    /// Returns a Boolean value that indicates whether a document looks like an HTTP archive.
    public static func isArchive(_ document: Document) -> Bool {
        document.root["log"]?["entries"]?.kind == .array
    }

    private static func mostFrequentOrigin(_ exchanges: [RecordedExchange]) -> String? {
        var counts: [String: Int] = [:]
        for exchange in exchanges { counts[exchange.url.origin, default: 0] += 1 }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    private static func error(_ problem: String, _ advice: String) -> DefinitionError {
        DefinitionError([DefinitionDiagnostic(.invalidSyntax, problem: problem, advice: advice)])
    }
}
