// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// The document of the GET benchmarks: an object whose text fills it to the size of the shape.
@Mapped struct LoadedArticle {
    let id: Int
    let title: String
    let text: String

    /// Returns a document of a size.
    static func document(byteCount: Int) -> Data {
        Data((opening + String(repeating: "a", count: byteCount - framing) + closing).utf8)
    }

    /// The number of bytes of the document that this object was mapped from.
    var byteCount: Int { Self.framing + text.utf8.count }

    private static let opening = #"{"id":42,"title":"Title","text":""#
    private static let closing = #""}"#
    private static var framing: Int { opening.utf8.count + closing.utf8.count }
}
