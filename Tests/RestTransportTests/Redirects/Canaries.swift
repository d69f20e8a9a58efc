// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

/// An interceptor that sets header fields on every request.
struct AddingFields: HTTPInterceptor {
    let fields: HTTPFields

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        var request = request
        for field in fields { request.headerFields[field.name] = field.value }
        return try await next.send(request)
    }
}

/// Header fields that must not reach other origins; each value contains the name.
enum Canaries {
    private static let callerNames = [
        "proxy-authorization", "x-api-key", "x-tenant", "if-none-match", "referer", "origin",
    ]
    private static let outerNames = ["x-outer", "x-signature"]
    private static let innerNames = ["x-inner", "x-request-id", "traceparent"]

    /// The fields that are set once for each request.
    static let fromCaller = Set(callerNames + outerNames + ["authorization"])

    /// All fields.
    static let all = fromCaller.union(innerNames).union(["cookie"])

    /// The default header fields, including two harmless ones.
    static var fields: HTTPFields {
        get throws {
            var fields = try fields(callerNames)
            fields[.accept] = "application/json"
            fields[.userAgent] = "test"
            return fields
        }
    }

    /// The fields that ``HTTPClient/interceptors`` add.
    static var outerFields: HTTPFields { get throws { try fields(outerNames) } }

    /// The fields that ``HTTPClient/networkInterceptors`` add.
    static var innerFields: HTTPFields { get throws { try fields(innerNames) } }

    private static func fields(_ names: [String]) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        for name in names { try fields.set("canary=\(name)", for: name) }
        return fields
    }
}
