// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestTransport

/// An exchange as a recording keeps it: without what ``RecordingRedaction`` leaves out.
public struct RecordedExchange: Sendable, Hashable {
    /// The request's method.
    public let method: HTTPRequest.Method

    /// The request's address.
    public let url: String

    /// The request's kept header fields.
    public let requestFields: HTTPFields

    /// The request's body; `nil` when it had none or it was not held in memory.
    public let requestBody: [UInt8]?

    /// Status and kept header fields of the response.
    public let head: HTTPResponse

    /// The response's body, decompressed.
    public let body: [UInt8]

    init(
        method: HTTPRequest.Method, url: String, requestFields: HTTPFields, requestBody: [UInt8]?,
        head: HTTPResponse, body: [UInt8]
    ) {
        self.method = method
        self.url = url
        self.requestFields = requestFields
        self.requestBody = requestBody
        self.head = head
        self.body = body
    }

    init(
        _ request: TransportRequest, _ head: HTTPResponse, _ body: [UInt8],
        _ redaction: RecordingRedaction
    ) {
        var kept = HTTPResponse(status: head.status)
        kept.headerFields = redaction.kept(head.headerFields)
        self.init(
            method: request.method, url: redaction.withoutSecrets(request.url.requestText),
            requestFields: redaction.kept(request.headerFields),
            requestBody: request.body.bytes.map(redaction.body), head: kept,
            body: redaction.body(body))
    }

    /// Whether a request is the one that was recorded, as far as the recording tells.
    func answers(_ request: TransportRequest, _ redaction: RecordingRedaction) -> Bool {
        guard method == request.method,
            url == redaction.withoutSecrets(request.url.requestText)
        else { return false }
        guard let requestBody else { return true }
        return request.body.bytes.map(redaction.body) == requestBody
    }

    /// Method and address.
    var name: String { "\(method.rawValue) \(url)" }
}

/// Why a recording cannot be read or does not answer a request.
public struct RecordingError: Error, Sendable, CustomStringConvertible {
    /// One line: which request or file, and what is wrong.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
