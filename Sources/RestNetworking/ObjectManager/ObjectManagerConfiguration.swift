// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import RestDocument
package import RestTransport

/// The configuration of an ``ObjectManager``, as one value that a request keeps until it ends.
package struct ObjectManagerConfiguration: Sendable {
    /// The HTTP client that sends the requests.
    package var client: HTTPClient

    /// The response descriptors.
    package var responseDescriptors = ResponseDescriptorIndex()

    /// The routes.
    package var routes = RouteSet()

    /// The router of requests.
    package var router: Router { Router(baseURL: client.baseURL, routes: routes) }

    /// The formats that read and write bodies, by media type.
    package var formats = FormatRegistry.standard

    /// The limits for parsing a response body.
    package var parseLimits = ParseLimits.default

    /// The default header fields of requests: those of the client, and `Accept`.
    package var defaultHeaders: HTTPFields {
        var fields = client.defaultHeaders
        let accepted = formats.accepted
        if !fields.contains(.accept), !accepted.isEmpty {
            fields[.accept] = accepted.map(\.description).joined(separator: ", ")
        }
        return fields
    }

    /// The media type that ``ObjectManager/setRequestFormat(_:)`` set; `nil` if it was not called.
    package var chosenRequestFormat: MediaType?

    /// The media type of parameters in request bodies.
    package var requestFormat: MediaType {
        chosenRequestFormat ?? clientRequestFormat ?? .formURLEncoded
    }

    /// The client's `parameterMediaType`; `nil` if no format is registered for it.
    private var clientRequestFormat: MediaType? {
        guard let type = MediaType(parsing: client.parameterMediaType),
            formats.format(for: type) != nil
        else { return nil }
        return type
    }
}
