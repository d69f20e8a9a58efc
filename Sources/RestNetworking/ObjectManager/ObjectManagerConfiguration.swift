// SPDX-License-Identifier: Apache-2.0

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
}
