// SPDX-License-Identifier: Apache-2.0

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
    var expected: ResponseDescriptor?

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
    let configuration: ObjectManagerConfiguration

    /// Returns the request for another URL of the same list, with the same descriptors.
    func `for`(_ url: HTTPURL) -> AssembledRequest {
        var request = self
        request.transportRequest.url = url
        return request
    }
}
