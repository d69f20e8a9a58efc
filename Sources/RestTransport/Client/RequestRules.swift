// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What must not go on the wire, whoever asks for it.
///
/// Method and field names are tokens by their types; this checks what the types let through.
package enum RequestRules {
    /// Checks a request.
    ///
    /// - Parameter request: The request with the header fields it will be sent with.
    /// - Throws: ``TransportError`` with code `invalidRequest`, naming the header field.
    package static func check(_ request: TransportRequest) throws(TransportError) {
        for field in request.headerFields {
            if framingFields.contains(field.name.canonicalName) {
                throw TransportError(
                    .invalidRequest, stage: .preparing, request: request,
                    reason: "header field \(field.name.canonicalName) belongs to the transport")
            }
            if !isAllowed(valueOf: field) {
                throw TransportError(
                    .invalidRequest, stage: .preparing, request: request,
                    reason: "header field \(field.name.canonicalName) holds a control character")
            }
        }
        if request.method == .connect || request.method == .trace {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "the method is not for requests of resources")
        }
        if !request.body.isEmpty, request.method == .head {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "a HEAD request has no body")
        }
    }

    private static func isAllowed(valueOf field: HTTPField) -> Bool {
        field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    private static let framingFields: Set<String> = [
        "connection", "content-length", "expect", "host", "http2-settings", "keep-alive",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
