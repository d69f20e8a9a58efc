// SPDX-License-Identifier: Apache-2.0

package import RestDocument
package import RestRows
package import RestTransport

/// The end of a send.
package enum OutboxAnswer: Sendable {
    /// A response of the server.
    case response(Response)
    /// A failure before any part of the request was sent.
    case unsent
    /// A failure after a part of the request was sent; there is no response.
    case lost

    /// Creates the end of a send that failed.
    package init(_ error: TransportError) {
        self = RetryPolicy.isUnsent(error) ? .unsent : .lost
    }

    package struct Response: Sendable {
        package var status: Int
        /// The body, for the conditions of rules.
        package var body: Document?
        /// The values of the object in the body; `nil` if the body has none.
        package var image: ObjectImage?
        /// The identity of the object; for one that exists already, its identity.
        package var identity: StoredValue?
        /// The version of the object.
        package var version: StoredValue?
        /// The delay that the response imposes.
        package var imposedDelay: Duration?

        package init(
            status: Int, body: Document? = nil, image: ObjectImage? = nil,
            identity: StoredValue? = nil, version: StoredValue? = nil, imposedDelay: Duration? = nil
        ) {
            self.status = status
            self.body = body
            self.image = image
            self.identity = identity
            self.version = version
            self.imposedDelay = imposedDelay
        }
    }
}
