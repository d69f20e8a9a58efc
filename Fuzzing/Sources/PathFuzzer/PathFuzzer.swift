// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Any text is a path that reads back as itself, or an error that names its place.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try PathInvariants.check(input) }
}
