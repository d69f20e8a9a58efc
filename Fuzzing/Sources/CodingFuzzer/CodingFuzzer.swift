// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Any document decodes to a value that encodes to the same again, or to an error.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try CodingInvariants.check(input) }
}
