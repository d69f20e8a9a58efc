// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest.Method {
    /// The safe methods, whose requests change nothing on the server.
    ///
    /// A method that is not among them may change something.
    ///
    /// - Source: RFC 9110 §9.2.1 and the registry of methods; for QUERY,
    ///   draft-ietf-httpbis-safe-method-w-body.
    package static let safe: Set<HTTPRequest.Method> = Set(
        ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "SEARCH", "PROPFIND", "REPORT"]
            .compactMap { HTTPRequest.Method($0) })

    /// The idempotent methods, whose requests have the same effect if they are sent twice: the safe ones,
    /// PUT and DELETE.
    ///
    /// - Source: RFC 9110 §9.2.2.
    package static let idempotent = safe.union([.put, .delete])

    /// A Boolean value that indicates whether the method is safe.
    package var isSafe: Bool { self == .get || Self.safe.contains(self) }
}
