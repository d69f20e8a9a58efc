// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPField {
    /// The bytes of the value as received, in any encoding.
    ///
    /// `value` is their text, in which bytes that are not UTF-8 appear as U+FFFD.
    package var valueBytes: [UInt8] {
        // Invariant: the buffer is copied inside the call.
        unsafe withUnsafeBytesOfValue { unsafe Array($0) }
    }

    /// A Boolean value that indicates whether the value is UTF-8, so that its text has its bytes.
    package var isUTF8: Bool {
        // Invariant: the buffer is read inside the call only.
        unsafe withUnsafeBytesOfValue { bytes in
            unsafe bytes.allSatisfy { $0 < 0x80 } || bytes.elementsEqual(value.utf8)
        }
    }
}
