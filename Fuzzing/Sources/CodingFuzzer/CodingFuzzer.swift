// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Fuzzes coding: any document decodes to a value that survives a round trip, or to an error.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try CodingInvariants.check(input) }
}
