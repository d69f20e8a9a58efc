// SPDX-License-Identifier: Apache-2.0

/// The arrangement of documents in a stream of bytes.
public struct DocumentFraming: Sendable, Hashable {
    private enum Storage: Hashable {
        case elements(DocumentPath)
        case lines
    }

    private let storage: Storage

    /// The elements of an array that is the entire text.
    public static let elements = DocumentFraming(storage: .elements(.root))

    /// JSON Lines: one value per line.
    ///
    /// Lines end with `\n` or `\r\n`; the last line may end with the text. Blank lines are skipped.
    /// A value must not span lines.
    public static let lines = DocumentFraming(storage: .lines)

    /// Returns the framing by the elements of an array inside the text, such as the array at
    /// `data.articles`.
    ///
    /// Keys apply only to objects and positions only to arrays, as in `node[path]`. A stream cannot
    /// know which value of a repeated key is the last one, so repeating a key of the path on the
    /// way to the array is an error.
    ///
    /// - Parameter path: The path from the outermost value to the array.
    /// - Returns: The framing.
    public static func elements(at path: DocumentPath) -> DocumentFraming {
        DocumentFraming(storage: .elements(path))
    }

    /// The path to the array of elements; the empty path for lines.
    var path: DocumentPath {
        if case .elements(let path) = storage { path } else { .root }
    }
}
