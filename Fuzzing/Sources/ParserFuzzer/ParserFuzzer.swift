// SPDX-License-Identifier: Apache-2.0

import DocumentInvariants
import FuzzEntry

/// Any bytes are a document that keeps its promises, or an error that names its place.
@c(LLVMFuzzerTestOneInput)
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzz(start, count) { input in try ParserInvariants.check(input) }
}
