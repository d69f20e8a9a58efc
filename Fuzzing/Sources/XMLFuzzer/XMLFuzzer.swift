// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import XMLInvariants

/// Fuzzes the XML format: any bytes are XML that survives a round trip, or an error with a location.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try XMLInvariants.check(input) }
}
