// SPDX-License-Identifier: Apache-2.0

import Logging
import RestTransport

extension HTTPClient {
    /// Creates a client with every stage enabled: authorization, retries, request coalescing, logging
    /// and an empty cache.
    static func busy(at baseURL: String, over transport: some HTTPTransport) throws -> HTTPClient {
        var client = try HTTPClient(baseURL: baseURL, transport: transport)
        client.cache = HTTPCache()
        client.interceptors = [
            RequestCoalescingInterceptor(),
            LoggingInterceptor(
                logger: Logger(label: "benchmark") { _ in FormattingLogHandler() }),
        ]
        client.networkInterceptors = [
            AuthorizationInterceptor(OneToken()), RetryInterceptor(),
        ]
        return client
    }
}

private struct OneToken: Authorizer {
    func credential(
        after previous: BearerToken?, for principal: Principal?, through next: InterceptorChain
    ) async throws -> BearerToken? {
        previous == nil ? BearerToken("0123456789abcdef0123456789abcdef") : nil
    }
}

/// A log handler that formats each entry, as a writing one does, and discards the text.
private struct FormattingLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    func log(event: LogEvent) {
        var text = "\(event.level) \(event.message)"
        for (key, value) in event.metadata ?? [:] { text += " \(key)=\(value)" }
        precondition(!text.isEmpty)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
