// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import MappingInvariants

/// Any document is mapped by any mapping to objects, or to an error that names its place.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try MappingInvariants.check(input) }
}
