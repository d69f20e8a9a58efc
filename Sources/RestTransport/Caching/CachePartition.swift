// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension CacheKey {
    /// The key of a request: its address and its partition.
    package init(_ request: TransportRequest) {
        self.init(url: request.url.requestText, partition: CachePartition.of(request))
    }
}

/// Whose responses those to a request are.
package enum CachePartition {
    /// The partition of a request; nobody's when it names no principal and holds no credential.
    package static func of(_ request: TransportRequest) -> String? {
        if let principal = request.principal { return of(principal) }
        var credentials: [UInt8] = []
        for field in request.headerFields where fieldNames.contains(field.name.canonicalName) {
            // Lengths before the parts, so that no two lists of fields read alike.
            for part in [field.name.canonicalName, field.value] {
                credentials += Array("\(part.utf8.count):".utf8)
                credentials += Array(part.utf8)
            }
        }
        if credentials.isEmpty { return nil }
        return SHA256.hexadecimalDigest(of: Array("credentials ".utf8) + credentials)
    }

    /// The partition of a principal.
    package static func of(_ principal: Principal) -> String {
        SHA256.hexadecimalDigest(of: Array("principal ".utf8) + Array(principal.id.utf8))
    }

    /// The fields that say whose a request is when nothing else does.
    private static let fieldNames: Set<String> = [
        "api-key", "authorization", "cookie", "proxy-authorization", "x-access-token", "x-api-key",
        "x-auth-token",
    ]
}
