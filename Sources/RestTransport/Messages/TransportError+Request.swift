// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension TransportError {
    /// Creates an error that concerns a request.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - stage: The stage that the exchange had reached.
    ///   - request: The failed request.
    ///   - reason: A one-line reason without content of messages.
    ///   - underlying: The error of the transport, a body or an authorizer.
    public init(
        _ code: Code, stage: Stage, request: TransportRequest, reason: String,
        underlying: (any Error)? = nil
    ) {
        self.init(code, stage: stage, reason: reason, underlying: underlying)
        method = request.method.rawValue
        url = request.url.redacted
    }

    /// Returns a copy of the error for another request.
    func concerning(_ request: TransportRequest) -> TransportError {
        var error = self
        error.method = request.method.rawValue
        error.url = request.url.redacted
        return error
    }
}
