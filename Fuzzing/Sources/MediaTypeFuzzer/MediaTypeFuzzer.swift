// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Fuzzes content types: any text is a media type that survives a round trip, or none.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try MediaTypeInvariants.check(input) }
}
