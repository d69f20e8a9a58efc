// SPDX-License-Identifier: Apache-2.0

/// A content coding that adapters ask for and undo.
///
/// - Source: RFC 9110 §8.4.1.
package enum ContentCoding: Sendable {
    case gzip
    case deflate

    /// The coding of that name, in lower case, if it is one of these.
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
