// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// However a text is cut, a stream hands out the elements of its array or its lines.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try StreamInvariants.check(input) }
}
