// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The checks that every request must pass before it goes on the wire.
///
/// Method and field names are tokens by their types; this type checks what the types allow.
enum RequestValidator {
    /// Validates a request.
    ///
    /// - Parameter request: The request with the header fields it will be sent with.
    /// - Throws: ``TransportError`` with code `invalidRequest`, naming the header field, or
    ///   `headerTooLarge`.
    static func validate(_ request: TransportRequest) throws(TransportError) {
        var byteCount = request.url.text.utf8.count
        for field in request.headerFields {
            let name = field.name.canonicalName
            byteCount += name.utf8.count + field.value.utf8.count + 4
            switch restrictions[name] {
            case .framing:
                throw refusal(of: request, "header field \(name) belongs to the transport")
            case .override where request.method != .post:
                throw refusal(of: request, "header field \(name) is for POST only")
            case .override, nil:
                break
            }
            if !hasAllowedValue(field) {
                throw refusal(of: request, "header field \(name) contains a control character")
            }
        }
        let limits = request.limits ?? .default
        if byteCount > limits.requestHeaderByteCount {
            throw limits.requestHeaderTooLarge(request)
        }
        if request.method == .connect || request.method == .trace {
            throw refusal(of: request, "the method does not request a resource")
        }
        if !request.body.isEmpty, request.method == .head {
            throw refusal(of: request, "a HEAD request has no body")
        }
    }

    private static func refusal(of request: TransportRequest, _ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, request: request, reason: reason)
    }

    private static func hasAllowedValue(_ field: HTTPField) -> Bool {
        field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    private enum Restriction {
        /// The field describes the framing of the message.
        case framing
        /// The field makes the server treat the method as another one. Retries, redirects and the
        /// cache go by the method, and only POST promises nothing that the hidden method breaks.
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
