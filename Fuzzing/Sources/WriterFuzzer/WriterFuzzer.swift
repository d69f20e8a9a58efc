// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Fuzzes the writer: any built document survives a round trip through JSON.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try WriterInvariants.check(input) }
}
