// SPDX-License-Identifier: Apache-2.0

import DefinitionInvariants
import FuzzEntry

/// Fuzzes definitions: any bytes are refused with positions and advice, or survive a round trip.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try DefinitionInvariants.check(input) }
}
