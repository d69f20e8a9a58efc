// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Ends work in an orderly way on Ctrl-C and on a request to terminate.
struct Interruption: Error {
    /// Which signal it was.
    let number: Int32

    /// The exit code, as shells have it.
    var exitCode: Int32 { 128 + number }

    /// Runs work that is cancelled by the first signal; a second one ends the process at once.
    ///
    /// - Returns: What the work returns.
    /// - Throws: ``Interruption`` if the work was cancelled by a signal, and what the work throws.
    static func guarding<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // Writing where nobody reads any more is an error to handle, not the end.
        ignore(SIGPIPE)
        let received = FirstSignal()
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            ignore(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                received.note(number)
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
        } catch let error as CancellationError {
            guard let number = received.number else { throw error }
            throw Interruption(number: number)
        }
    }

    private static func ignore(_ number: Int32) { signal(number, SIG_IGN) }

    private static func restore(_ number: Int32) { signal(number, SIG_DFL) }
}

/// Keeps the signal that came first.
private final class FirstSignal: Sendable {
    private let first = Mutex<Int32?>(nil)

    var number: Int32? { first.withLock { $0 } }

    func note(_ number: Int32) { first.withLock { $0 = $0 ?? number } }
}
