// SPDX-License-Identifier: Apache-2.0

/// Checks one input of libFuzzer and traps if an invariant is violated.
///
/// - Returns: 0, which lets libFuzzer add the input to its corpus.
public func fuzz(
    _ start: UnsafePointer<UInt8>?, _ count: Int, _ check: ([UInt8]) throws -> Void
) -> CInt {
    do {
        try unsafe check(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    } catch {
        fatalError("broken invariant: \(error)")
    }
}
