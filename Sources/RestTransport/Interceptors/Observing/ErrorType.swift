// SPDX-License-Identifier: Apache-2.0

#if Metrics || Tracing
/// The low-cardinality names of errors for metrics and spans.
enum ErrorType {
    /// Returns the code of a ``TransportError``, `cancelled`, or `_OTHER`.
    static func name(of error: any Error) -> String {
        if let error = error as? TransportError { return error.code.description }
        return error is CancellationError ? "cancelled" : "_OTHER"
    }
}
#endif
