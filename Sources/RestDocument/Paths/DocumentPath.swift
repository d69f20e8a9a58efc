// SPDX-License-Identifier: Apache-2.0

/// A path from a value to a value inside it, such as `articles[3].author.id`.
///
/// Keys are separated by dots, and array positions are in brackets. In a key, a backslash escapes
/// `.`, `[`, `]` and `\`. The empty key is written `[""]`. The empty path refers to the value
/// itself.
///
/// The names of OData need no escape: `@odata.nextLink` and `Items@odata.count` are one key each. A
/// member of an object with the key `@odata` is written `@odat\a.name`.
public struct DocumentPath: Sendable, Hashable {
    /// A component of a path.
    public enum Component: Sendable, Hashable {
        /// A member of an object.
        case key(String)
        /// An element of an array, counted from 0.
        case index(Int)
    }

    /// The components, outermost first.
    public var components: [Component]

    /// The empty path, which refers to the value itself.
    public static let root = DocumentPath([])

    /// Creates a path from its components.
    public init(_ components: [Component]) {
        self.components = components
    }

    /// Returns the path with the key of an object's member appended.
    public func appending(key: String) -> DocumentPath {
        DocumentPath(components + [.key(key)])
    }

    /// Returns the path with the position of an array's element appended.
    public func appending(index: Int) -> DocumentPath {
        DocumentPath(components + [.index(index)])
    }

    /// Creates a path by parsing text.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/invalidPath`` and the offset in
    ///   the text.
    public init(parsing text: some StringProtocol) throws(DocumentError) {
        var reader = PathReader(text)
        components = try reader.components()
    }
}

extension DocumentPath: CustomStringConvertible {
    /// The text of the path.
    ///
    /// Parsing it results in an equal path.
    public var description: String { text(upTo: components.count) { String($0) } }

    /// The path on one line for messages: at most 32 components, with an ellipsis for the rest, and
    /// control characters escaped, as the server chooses the keys.
    package var abbreviated: String {
        let text = text(upTo: 32) { scalar in
            let isControl = scalar.properties.generalCategory == .control
            return isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        let line = text.count <= 400 ? text : text.prefix(400) + "…"
        return components.count <= 32 ? line : line + "…(\(components.count) steps)"
    }

    private func text(upTo limit: Int, _ spelling: (Unicode.Scalar) -> String) -> String {
        var text = ""
        for component in components.prefix(limit) {
            switch component {
            case .index(let index):
                text += "[\(index)]"
            case .key(""):
                text += "[\"\"]"
            case .key(let key):
                if !text.isEmpty { text += "." }
                for scalar in key.unicodeScalars {
                    if scalar == "." || scalar == "[" || scalar == "]" || scalar == "\\" {
                        text += "\\"
                    }
                    text += spelling(scalar)
                }
                if key.utf8.suffix(6).elementsEqual("@odata".utf8) {
                    text = text.dropLast() + "\\a"
                }
            }
        }
        return text
    }
}

extension DocumentPath: ExpressibleByStringLiteral {
    /// Creates a path from a literal.
    ///
    /// A malformed literal is a programming error and traps.
    public init(stringLiteral literal: String) {
        do {
            try self.init(parsing: literal)
        } catch {
            preconditionFailure("\"\(literal)\" is not a document path: \(error)")
        }
    }
}
