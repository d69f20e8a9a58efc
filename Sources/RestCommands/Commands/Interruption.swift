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

/// The cancellation of a command by SIGINT or SIGTERM.
package struct Interruption: Error {
    /// The signal number.
    package let number: Int32

    /// The exit code in the convention of shells: 128 plus the signal number.
    package var exitCode: Int32 { 128 + number }

    /// Runs an operation that the first signal cancels; a second signal ends the process at once.
    ///
    /// - Returns: The result of the operation.
    /// - Throws: ``Interruption`` if a signal cancelled the operation, and the operation's errors.
    package static func guarding<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // A write to a closed pipe is reported as an error instead of ending the process.
        ignore(SIGPIPE)
        let received = FirstSignal()
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            ignore(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard received.note(number), source.data == 1 else { end(by: number) }
                task.cancel()
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

    /// Ends the process as the signal does that nothing handles.
    ///
    /// Dispatch blocks the signals of its sources in some threads, so that the default action alone does not
    /// suffice.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        exit(128 + number)
    }
}

/// A holder of the first signal received.
private final class FirstSignal: Sendable {
    private let first = Mutex<Int32?>(nil)

    var number: Int32? { first.withLock { $0 } }

    /// Notes a signal, and returns a Boolean value that indicates whether it is the first one.
    func note(_ number: Int32) -> Bool {
        first.withLock { first in
            if first != nil { return false }
            first = number
            return true
        }
    }
}
