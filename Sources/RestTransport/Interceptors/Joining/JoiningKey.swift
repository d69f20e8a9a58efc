// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What requests must have in common to share an exchange.
struct JoiningKey: Hashable {
    private let method: HTTPRequest.Method
    private let url: HTTPURL
    private let headerFields: HTTPFields
    private let principal: Principal?
    private let cachePolicy: CachePolicy
    private let limits: TransportLimits?
    // Of the address, which tells requests apart as a rule; a key is looked up several times.
    private let hash: Int

    /// Makes the key of a request without body.
    init(_ request: TransportRequest, ignoring ignored: [HTTPField.Name]) {
        method = request.method
        url = request.url
        principal = request.principal
        cachePolicy = request.cachePolicy
        limits = request.limits
        hash = request.url.hashValue
        let fields = request.headerFields
        guard fields.contains(where: { ignored.contains($0.name) }) else {
            headerFields = fields
            return
        }
        var kept = HTTPFields()
        for field in fields where !ignored.contains(field.name) {
            kept.append(field)
        }
        headerFields = kept
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension HTTPRequest.Method {
    /// Whether the method asks for nothing but an answer.
    ///
    /// - Source: RFC 9110 §9.2.1.
    var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }
}
