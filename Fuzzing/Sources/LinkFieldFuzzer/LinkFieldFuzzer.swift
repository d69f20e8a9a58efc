// SPDX-License-Identifier: Apache-2.0

import FuzzEntry
import NetworkingInvariants

/// Fuzzes link fields: any text is a list of links that survives a round trip.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try LinkFieldInvariants.check(input) }
}
