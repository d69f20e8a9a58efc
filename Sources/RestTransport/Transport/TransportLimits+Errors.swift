// SPDX-License-Identifier: Apache-2.0

extension TransportLimits {
    /// The error of an exchange that could not connect in time.
    package func connectTimeRanOut(_ request: TransportRequest) -> TransportError {
        ranOut(
            connectTimeout, request, at: .connecting, what: "no connection")
    }

    /// The error of an exchange that was silent too long.
    package func idleTimeRanOut(
        _ request: TransportRequest, at stage: TransportError.Stage
    ) -> TransportError {
        ranOut(idleTimeout, request, at: stage, what: "no byte")
    }

    /// The error of an exchange that took too long altogether.
    package func totalTimeRanOut(
        _ request: TransportRequest, at stage: TransportError.Stage
    ) -> TransportError {
        ranOut(totalTimeout, request, at: stage, what: "not complete")
    }

    /// The error of a header past its limits.
    package func headerTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .headerTooLarge, stage: .receivingHeader, request: request,
            reason: "more than \(headerByteCount) bytes or \(headerFieldCount) fields")
    }

    /// The error of a body past its limit.
    package func bodyTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .bodyTooLarge, stage: .receivingBody, request: request,
            reason: "more than \(bodyByteCount) bytes")
    }

    /// The error of a body that grows too much when it is decompressed.
    package func ratioTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .bodyTooLarge, stage: .receivingBody, request: request,
            reason: "more than \(decompressionRatio) times its compressed size")
    }

    private func ranOut(
        _ time: Duration?, _ request: TransportRequest, at stage: TransportError.Stage, what: String
    ) -> TransportError {
        TransportError(
            .timedOut, stage: stage, request: request,
            reason: "\(what) within \(time ?? .zero)")
    }
}
