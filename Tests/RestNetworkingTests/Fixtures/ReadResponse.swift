// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport
import Testing

@testable import RestNetworking

/// Returns the result of reading a response with a body and descriptors.
func readResponse(
    _ body: String, _ descriptors: [ResponseDescriptor], status: Int = 200,
    method: HTTPRequest.Method = .get, at url: String = "http://base/articles",
    base: String = "http://base", contentType: String? = "application/json",
    expecting expected: ResponseDescriptor? = nil
) throws -> ObjectResponse {
    var buffer = BodyBuffer(expecting: 0)
    buffer.append(Array(body.utf8))
    var head = HTTPResponse(status: .init(code: status))
    head.headerFields[.contentType] = contentType
    let request = try TransportRequest(method: method, url: HTTPURL(parsing: url))
    let reader = ResponseReader(
        descriptors: DescriptorSelection(
            descriptors: ResponseDescriptorIndex(descriptors), expected: expected),
        location: RequestedLocation(url: request.url, baseURL: try HTTPURL(parsing: base)),
        formats: FormatSelection(formats: .standard, limits: .default))
    return try reader.read(
        TransportResponse(to: request, head: head, body: ResponseBody([])), body: buffer)
}

/// Returns the error of reading a response with a body and descriptors.
func responseError(
    of body: String, _ descriptors: [ResponseDescriptor], status: Int = 200,
    at url: String = "http://base/articles", base: String = "http://base",
    contentType: String? = "application/json", expecting expected: ResponseDescriptor? = nil
) throws -> NetworkingError {
    try #require(throws: NetworkingError.self) {
        try readResponse(
            body, descriptors, status: status, at: url, base: base, contentType: contentType,
            expecting: expected)
    }
}
