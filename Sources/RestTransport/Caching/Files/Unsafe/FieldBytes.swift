// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPField {
    /// The bytes of the value as received, in any encoding.
    var valueBytes: [UInt8] {
        // Invariant: the buffer is copied inside the call.
        unsafe withUnsafeBytesOfValue { unsafe Array($0) }
    }
}
