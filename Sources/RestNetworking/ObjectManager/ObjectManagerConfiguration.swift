// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import RestDocument
package import RestTransport

/// What an ``ObjectManager`` is set up with, as one value: a request keeps the one it began with.
package struct ObjectManagerConfiguration: Sendable {
    /// What sends the requests.
    package var client: HTTPClient

    /// The descriptors in the order they were added.
    package var responseDescriptors: [ResponseDescriptor] = []

    /// Which format reads and writes which media type.
    package var formats = FormatRegistry.standard

    /// What a document may grow to.
    package var parseLimits = ParseLimits.default

    /// The header fields that requests have by default.
    package var defaultHeaders: HTTPFields {
        var fields = client.defaultHeaders
        let accepted = formats.accepted
        if !fields.contains(.accept), !accepted.isEmpty {
            fields[.accept] = accepted.map(\.description).joined(separator: ", ")
        }
        return fields
    }

    /// The media type in which bodies carry parameters, where one was chosen.
    package var chosenRequestFormat: MediaType?

    /// The media type in which bodies carry parameters: the chosen one, else the one that the client
    /// declares if it has a format, else that of forms.
    package var requestFormat: MediaType {
        chosenRequestFormat ?? declaredRequestFormat ?? .formURLEncoded
    }

    /// What the client declares, if it has a format.
    package var declaredRequestFormat: MediaType? {
        guard let type = MediaType(parsing: client.parameterMediaType),
            formats.format(for: type) != nil
        else { return nil }
        return type
    }
}
