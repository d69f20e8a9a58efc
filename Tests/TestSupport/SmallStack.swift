// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a closure on a thread of its own and waits for it.
///
/// - Parameters:
///   - byteCount: The thread's stack; those of background threads may have 512 KiB.
///   - body: What nests deep.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
public func onStack<Result: Sendable>(
    of byteCount: Int, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result(catching: body)) }
        thread.stackSize = byteCount
        thread.start()
    }
}
