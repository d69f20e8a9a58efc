// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping
public import RestTransport

/// The value of a response with its head and the mapping report.
public struct MappedResponse<Value> {
    /// The value.
    public let value: Value

    /// The status and header fields.
    public let head: HTTPResponse

    /// The URL that answered: after redirects, the last one.
    public let url: HTTPURL

    /// The issues and counts of the mapping.
    public let report: MappingReport

    /// The origin of the response: the server, or the client's cache.
    public let origin: ResponseOrigin

    /// The bytes of the body, if ``ObjectRequest/keepsResponseBody`` is `true`; `nil` otherwise.
    public let body: [UInt8]?

    init(_ value: Value, _ response: ObjectResponse, _ report: MappingReport) {
        self.value = value
        head = response.head
        url = response.url
        origin = response.origin
        body = response.body
        self.report = report
    }
}

extension MappedResponse: Sendable where Value: Sendable {}
