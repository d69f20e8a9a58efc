// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import MappingInvariants

/// Any text is a date that is written as it was read, or no date.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try DateInvariants.check(input) }
}
