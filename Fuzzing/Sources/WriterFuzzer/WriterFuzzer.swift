// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Whatever is built is written as JSON that reads back the same.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try WriterInvariants.check(input) }
}
