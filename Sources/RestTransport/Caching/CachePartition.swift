// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension CacheKey {
    /// Creates the key of a request from its URL and its partition.
    package init(_ request: TransportRequest) {
        self.init(url: request.url.requestText, partition: CachePartition.of(request))
    }
}

/// The partition of the cache that a request uses.
package enum CachePartition {
    /// Returns the partition of a request, or `nil` if it has neither a principal nor credentials.
    package static func of(_ request: TransportRequest) -> String? {
        if let principal = request.principal { return of(principal) }
        var credentials: [UInt8] = []
        for field in request.headerFields where fieldNames.contains(field.name.canonicalName) {
            // Length prefixes keep different lists of fields from having the same bytes.
            for part in [Array(field.name.canonicalName.utf8), field.valueBytes] {
                credentials += Array("\(part.count):".utf8)
                credentials += part
            }
        }
        if credentials.isEmpty { return nil }
        return SHA256.hexadecimalDigest(of: Array("credentials ".utf8) + credentials)
    }

    /// Returns the partition of a principal.
    package static func of(_ principal: Principal) -> String {
        SHA256.hexadecimalDigest(of: Array("principal ".utf8) + Array(principal.id.utf8))
    }

    /// The fields that hold credentials.
    private static let fieldNames: Set<String> = [
        "api-key", "authorization", "cookie", "proxy-authorization", "x-access-token", "x-api-key",
        "x-auth-token",
    ]
}
