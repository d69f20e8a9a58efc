// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import MappingInvariants

/// Fuzzes mappings: any document maps to objects, or to an error with a document path.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try MappingInvariants.check(input) }
}
