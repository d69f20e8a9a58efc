// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Fuzzes the parser: any bytes are a consistent document or an error with an offset.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try ParserInvariants.check(input) }
}
