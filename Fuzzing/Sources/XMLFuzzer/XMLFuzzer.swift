// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import XMLInvariants

/// Any bytes are XML that says the same when it is written again, or a mistake that names its place.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try XMLInvariants.check(input) }
}
