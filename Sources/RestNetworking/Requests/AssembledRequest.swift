// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
package import RestTransport

/// A request that is ready to be sent: its bytes, and everything needed to read the response.
///
/// It keeps the configuration that the manager had when the request was assembled.
package struct AssembledRequest<Value>: Sendable {
    /// The request as it is sent.
    package var transportRequest: TransportRequest

    /// The URL that was asked for, with which response descriptors are matched.
    ///
    /// It remains that of the first page for linked pages, and is not changed by redirects.
    let requestedURL: HTTPURL

    /// The path of the request without parameters, as the caller or the route wrote it.
    let path: String

    /// The descriptor of a successful response if the manager has none for the type; `nil` to use all
    /// descriptors that match.
    package var expected: ResponseDescriptor?

    /// The document of the body, to which pages add members; `nil` if it was not kept or there is none.
    var bodyDocument: Document?

    /// The format of the body, in which pages write theirs.
    var bodyFormat: BodyFormat?

    /// The location of the value in the response, if the caller names it.
    let keyPath: DocumentPath?

    /// The way to map the response.
    var reading: ResponseReading<Value>

    /// The values of the request for sources that begin with `@metadata`.
    var metadata: RequestMetadata

    /// See ``ObjectRequest/willMapDocument``.
    var willMapDocument: (@Sendable (Document) throws -> Document?)?

    /// The priority in the queue, and of mapping.
    let priority: RequestPriority

    /// The configuration of the manager.
    package let configuration: ConfigurationSnapshot

    /// The destination of the objects of the response, which selects the kind of the operation.
    package var destination = OperationDestination.objects

    /// The status codes outside of success whose responses are returned, without their body.
    package var acceptedStatusCodes: StatusCodeSet = []

    /// A Boolean value that indicates whether a body of success that cannot be parsed or matched is
    /// ignored, because the status tells all that matters.
    package var ignoresUnreadableBody = false

    /// The way to learn the identity of a new object from a response without a body; `nil` for none.
    package var located: LocatedObject?

    /// A Boolean value that indicates whether the request is to send the changes of an object that has none.
    package var isWithoutChanges = false

    /// See ``ObjectRequest/keepsResponseBody``.
    var keepsResponseBody = false

    /// Creates the outermost interceptor of an exchange, which its response refers to; `nil` for none.
    package var makeInterceptor: (@Sendable () -> any HTTPInterceptor)?
}

extension AssembledRequest {
    /// The descriptors of a response with status 200, which decide how it is mapped.
    package var candidateDescriptors: [ResponseDescriptor] {
        let selection = DescriptorSelection(
            descriptors: configuration.value.responseDescriptors, expected: expected,
            keyPath: keyPath)
        return selection.candidates(
            at: RequestedLocation(url: requestedURL, baseURL: configuration.value.client.baseURL),
            method: transportRequest.method, status: 200)
    }

    /// Returns the request for a page of the same list, with the same descriptors.
    ///
    /// - Throws: ``NetworkingError`` if the body of the page cannot be written.
    func `for`(_ page: PageRequest) throws(NetworkingError) -> AssembledRequest {
        var request = self
        request.transportRequest.url = page.url
        guard let members = page.members else { return request }
        let body = (bodyDocument ?? [:]).merging(members)
        try RequestAssembler(configuration: configuration).write(
            .document(body), as: bodyFormat ?? configuration.value.bodyFormat,
            to: &request.transportRequest)
        return request
    }

    /// Checks that the pages of a list can have members in the body.
    func checkBodyForPages() throws(NetworkingError) {
        let method = transportRequest.method
        var causes: [String] = []
        if !RequestAssembler.methodsWithBody.contains(method) {
            causes.append(
                "the parameters of the pagination are in the body; use PATCH, POST, PUT or QUERY")
        } else if bodyDocument.map({ $0.root.kind != .object }) ?? !transportRequest.body.isEmpty {
            causes.append(
                "the body has no members; send an object or parameters, not a list or a form")
        }
        guard causes.isEmpty else {
            throw NetworkingError(
                .invalidRequest, stage: .pagination, method: method.rawValue,
                url: transportRequest.url.redacted, causes: causes)
        }
    }

    /// Creates a request that the caller made, without a route, an object or parameters.
    init(
        _ request: TransportRequest, expecting expected: ResponseDescriptor? = nil,
        reading: ResponseReading<Value>, configuration: ConfigurationSnapshot
    ) {
        self.init(
            transportRequest: request, requestedURL: request.url, path: request.url.path,
            expected: expected, keyPath: nil, reading: reading, metadata: RequestMetadata(),
            willMapDocument: nil, priority: .normal, configuration: configuration)
    }
}
