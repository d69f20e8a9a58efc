// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Fuzzes streams: a text yields the same elements or lines wherever it is split.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try StreamInvariants.check(input) }
}
