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
            let name = field.name.canonicalName
            switch restrictions[name] {
            case .framing:
                throw refusal(of: request, "header field \(name) belongs to the transport")
            case .override where request.method != .post:
                throw refusal(of: request, "header field \(name) is for POST only")
            case .override, nil:
                break
            }
            if !isAllowed(valueOf: field) {
                throw refusal(of: request, "header field \(name) holds a control character")
            }
        }
        if request.method == .connect || request.method == .trace {
            throw refusal(of: request, "the method is not for requests of resources")
        }
        if !request.body.isEmpty, request.method == .head {
            throw refusal(of: request, "a HEAD request has no body")
        }
    }

    private static func refusal(of request: TransportRequest, _ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, request: request, reason: reason)
    }

    private static func isAllowed(valueOf field: HTTPField) -> Bool {
        field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    private enum Restriction {
        /// The field says how the message lies on the wire.
        case framing
        /// The field asks the server to take the method for another one. Repeating, redirecting
        /// and storing go by the method, and only POST promises nothing that the hidden one breaks.
        case override
    }

    private static let restrictions: [String: Restriction] = [
        "connection": .framing, "content-length": .framing, "expect": .framing, "host": .framing,
        "http2-settings": .framing, "keep-alive": .framing, "proxy-connection": .framing,
        "te": .framing, "trailer": .framing, "transfer-encoding": .framing, "upgrade": .framing,
        "x-http-method": .override, "x-http-method-override": .override,
        "x-method-override": .override,
    ]
}
