// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Text as a document that is one string.
struct TextFormat: DocumentFormat {
    func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        var builder = DocumentBuilder()
        builder.string(String(decoding: bytes, as: UTF8.self))
        return builder.finish()
    }

    func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        Array((document.root.string ?? "").utf8)
    }
}
