// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Any bytes are a form as the standard takes it apart, or not UTF-8.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try FormInvariants.check(input) }
}
