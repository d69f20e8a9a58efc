// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A violation of XML's syntax or of a limit, at an offset of the UTF-8 text.
struct XMLSyntaxError: Error {
    var code: DocumentError.Code
    var offset: Int
    var expected: String
}

extension XMLSyntaxError {
    /// Creates an error for an exceeded limit.
    init(limit: String, at offset: Int) {
        self.init(code: .limitExceeded, offset: offset, expected: limit)
    }
}
