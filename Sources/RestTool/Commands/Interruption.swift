// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Ends work in an orderly way on Ctrl-C and on a request to terminate.
enum Interruption {
    /// The exit code after an interruption, as shells have it: 128 and the signal's number.
    static let exitCode = 128 + SIGINT

    /// Runs work that is cancelled by the first signal; a second one ends the process at once.
    ///
    /// - Returns: What the work returns; `nil` if it was cancelled.
    /// - Throws: What the work throws, except for cancellation.
    static func guarding<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        // Writing where nobody reads any more is an error to handle, not the end.
        ignore(SIGPIPE)
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            ignore(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                task.cancel()
                restore(number)
            }
            source.activate()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError {
            return nil
        }
    }

    private static func ignore(_ number: Int32) { signal(number, SIG_IGN) }

    private static func restore(_ number: Int32) { signal(number, SIG_DFL) }
}
