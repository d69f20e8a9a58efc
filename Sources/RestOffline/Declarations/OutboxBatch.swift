// SPDX-License-Identifier: Apache-2.0

/// An endpoint that executes several requests as one.
///
/// ```swift
/// var configuration = OutboxConfiguration()
/// configuration.batch = OutboxBatch(at: "$batch")
/// ```
///
/// The entries of one save that can be sent at the same time are sent as one request. Each is executed and answered
/// for itself: one may be refused and another accepted. What refers to an object that the server does not have yet
/// follows in another request.
///
/// The body of the request is `{"requests": [{"id": "1", "method": "PATCH", "url": "notes/7", "headers": {…},
/// "body": {…}}, …]}`, that of the answer `{"responses": [{"id": "1", "status": 200, "headers": {…}, "body":
/// {…}}, …]}`. Credentials are header fields of the request, and not of its parts. If the endpoint refuses the
/// request with a status that says that it had no effect, the entries are sent one by one.
///
/// - Source: OData JSON Format 4.01 §19.
public struct OutboxBatch: Sendable {
    let path: String
    let countLimit: Int

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the base URL of the manager.
    ///   - countLimit: The maximum number of requests in one; 50 by default.
    public init(at path: String, countLimit: Int = 50) {
        self.path = path
        self.countLimit = max(2, countLimit)
    }
}
