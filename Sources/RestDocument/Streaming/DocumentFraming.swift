// SPDX-License-Identifier: Apache-2.0

/// How documents lie one after the other in a stream of bytes.
public struct DocumentFraming: Sendable, Hashable {
    private enum Storage: Hashable {
        case elements(DocumentPath)
        case lines
    }

    private let storage: Storage

    /// The elements of an array that is the whole text.
    public static let elements = DocumentFraming(storage: .elements(.root))

    /// JSON Lines: a value on every line.
    ///
    /// Lines end with `\n` or `\r\n`, the last one perhaps with the text. Lines of nothing but white
    /// space are passed over. A value cannot go on in the next line.
    public static let lines = DocumentFraming(storage: .lines)

    /// The elements of an array inside the text, such as the one at `data.articles`.
    ///
    /// A key leads into objects only and a position into arrays only, as in `node[path]`. As a
    /// stream cannot know which value of a repeated key is the last one, repeating a key of the path
    /// on the way to the array is an error.
    ///
    /// - Parameter path: The way from the outermost value to the array.
    /// - Returns: The framing by that array's elements.
    public static func elements(at path: DocumentPath) -> DocumentFraming {
        DocumentFraming(storage: .elements(path))
    }

    /// The way to the array of elements; that to the outermost value for lines.
    var path: DocumentPath {
        if case .elements(let path) = storage { path } else { .root }
    }
}
