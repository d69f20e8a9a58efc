// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import MappingInvariants

/// Fuzzes dates: any text is a date that survives a round trip, or not a date.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try DateInvariants.check(input) }
}
