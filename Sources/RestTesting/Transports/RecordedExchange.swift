// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestTransport

/// A recorded exchange, without the parts that ``RecordingRedaction`` removes.
public struct RecordedExchange: Sendable, Hashable {
    /// The method of the request.
    public let method: HTTPRequest.Method

    /// The URL of the request.
    public let url: String

    /// The recorded header fields of the request.
    public let requestFields: HTTPFields

    /// The body of the request, or `nil` if it had none or its body was not in memory.
    public let requestBody: [UInt8]?

    /// The status and the recorded header fields of the response.
    public let head: HTTPResponse

    /// The body of the response, decompressed.
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
        var recordedHead = HTTPResponse(status: head.status)
        recordedHead.headerFields = redaction.redacted(head.headerFields)
        self.init(
            method: request.method, url: redaction.redacted(request.url.requestText),
            requestFields: redaction.redacted(request.headerFields),
            requestBody: request.body.bytes.map(redaction.transformBody), head: recordedHead,
            body: redaction.transformBody(body))
    }

    /// Returns a Boolean value that indicates whether a request matches the recorded one.
    func matches(_ request: TransportRequest, _ redaction: RecordingRedaction) -> Bool {
        guard method == request.method,
            url == redaction.redacted(request.url.requestText)
        else { return false }
        guard let requestBody else { return true }
        return request.body.bytes.map(redaction.transformBody) == requestBody
    }

    /// The method and the URL.
    var name: String { "\(method.rawValue) \(url)" }
}

/// The error of a recording that cannot be read or has no response for a request.
public struct RecordingError: Error, Sendable, CustomStringConvertible {
    /// One line with the request or file and the problem.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
