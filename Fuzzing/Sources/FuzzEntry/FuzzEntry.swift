// SPDX-License-Identifier: Apache-2.0

/// Hands one input of libFuzzer to a check and traps when an invariant is broken.
///
/// - Returns: 0, which tells libFuzzer that it may keep the input.
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
