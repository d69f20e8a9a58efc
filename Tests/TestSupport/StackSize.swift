// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a closure on a new thread and waits for it.
///
/// - Parameters:
///   - byteCount: The size of the thread's stack. That of background threads may be 512 KiB.
///   - body: The closure.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
public func onStack<Result: Sendable>(
    of byteCount: Int, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result(catching: body)) }
        thread.stackSize = byteCount
        thread.start()
    }
}
