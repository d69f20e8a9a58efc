// SPDX-License-Identifier: Apache-2.0

extension TransportLimits {
    /// Returns the error of an exchange that did not connect in time.
    package func connectTimeoutError(_ request: TransportRequest) -> TransportError {
        timeoutError(connectTimeout, request, at: .connecting, what: "no connection")
    }

    /// Returns the error of an exchange that was idle for too long.
    package func idleTimeoutError(
        _ request: TransportRequest, at stage: TransportError.Stage
    ) -> TransportError {
        timeoutError(idleTimeout, request, at: stage, what: "no byte")
    }

    /// Returns the error of an exchange that exceeded its total time.
    package func totalTimeoutError(
        _ request: TransportRequest, at stage: TransportError.Stage
    ) -> TransportError {
        timeoutError(totalTimeout, request, at: stage, what: "not complete")
    }

    /// Returns the error of a header that exceeds its limits.
    package func headerTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .headerTooLarge, stage: .receivingHeader, request: request,
            reason: "more than \(headerByteCount) bytes or \(headerFieldCount) fields")
    }

    /// Returns the error of a request whose header exceeds its limit.
    package func requestHeaderTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .headerTooLarge, stage: .sendingRequest, request: request,
            reason: "the request header has more than \(requestHeaderByteCount) bytes")
    }

    /// Returns the error of a body that exceeds its limit.
    package func bodyTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .bodyTooLarge, stage: .receivingBody, request: request,
            reason: "more than \(bodyByteCount) bytes")
    }

    /// Returns the error of a body that exceeds the decompression ratio.
    package func decompressionRatioTooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(
            .bodyTooLarge, stage: .receivingBody, request: request,
            reason: "more than \(decompressionRatio) times its compressed size")
    }

    /// Returns the error of a compressed body that consists of parts without content.
    package func compressedBytesWithoutOutput(_ request: TransportRequest) -> TransportError {
        TransportError(
            .bodyTooLarge, stage: .receivingBody, request: request,
            reason: "more than \(Self.maximumCompressedExpansion) compressed bytes for each "
                + "decompressed one after the first \(compressedByteAllowance)")
    }

    private func timeoutError(
        _ timeout: Duration?, _ request: TransportRequest, at stage: TransportError.Stage,
        what: String
    ) -> TransportError {
        TransportError(
            .timedOut, stage: stage, request: request,
            reason: "\(what) within \((timeout ?? .zero).roundedText)")
    }
}
