// SPDX-License-Identifier: Apache-2.0

/// A content coding that adapters accept and decode.
///
/// - Source: RFC 9110 §8.4.1.
package enum ContentCoding: Sendable {
    case gzip
    case deflate

    /// Creates a coding from its name in lower case; `nil` if it is not supported.
    init?(name: ArraySlice<UInt8>) {
        if name.elementsEqual("gzip".utf8) || name.elementsEqual("x-gzip".utf8) {
            self = .gzip
        } else if name.elementsEqual("deflate".utf8) {
            self = .deflate
        } else {
            return nil
        }
    }
}
