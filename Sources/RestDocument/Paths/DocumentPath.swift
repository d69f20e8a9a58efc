// SPDX-License-Identifier: Apache-2.0

/// The way from a value to one inside it, such as `articles[3].author.id`.
///
/// Keys are separated by dots, positions of arrays stand in brackets. Inside a key `.`, `[`, `]`
/// and `\` follow a backslash; the empty key is written `[""]`. The empty text is the value itself.
public struct DocumentPath: Sendable, Hashable {
    /// One step of a path.
    public enum Component: Sendable, Hashable {
        /// The member of an object.
        case key(String)
        /// The element of an array, counted from 0.
        case index(Int)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// The value itself.
    public static let root = DocumentPath([])

    /// Makes a path of steps.
    public init(_ components: [Component]) {
        self.components = components
    }

    /// The path to a member of the object at this path.
    public func appending(key: String) -> DocumentPath {
        DocumentPath(components + [.key(key)])
    }

    /// The path to an element of the array at this path.
    public func appending(index: Int) -> DocumentPath {
        DocumentPath(components + [.index(index)])
    }

    /// Reads a path from text.
    ///
    /// - Throws: ``DocumentError/Code/invalidPath`` with the offset in the text.
    public init(parsing text: some StringProtocol) throws(DocumentError) {
        var reader = PathReader(text)
        components = try reader.components()
    }
}

extension DocumentPath: CustomStringConvertible {
    /// The path as text that reads back as the same path.
    public var description: String { text(upTo: components.count) { String($0) } }

    /// The path on one line of a message: at most 32 components, with a mark where some were left
    /// out, and no control characters, as keys are the server's.
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
            }
        }
        return text
    }
}

extension DocumentPath: ExpressibleByStringLiteral {
    /// Reads a path from a literal; a literal that is no path is a programmer's error and traps.
    public init(stringLiteral literal: String) {
        do {
            try self.init(parsing: literal)
        } catch {
            preconditionFailure("\"\(literal)\" is not a document path: \(error)")
        }
    }
}
