// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A text with placeholders for values of parents, such as `repos/{repositories.full_name}/issues`.
///
/// A placeholder is the name of a parent, a dot and a path in the parent's record, in braces. `{{` and `}}`
/// are braces of the text.
public struct Template: Sendable, Hashable {
    /// A part of a template.
    public enum Part: Sendable, Hashable {
        /// Text.
        case text(String)
        /// A value in the record of a parent.
        case parent(String, path: DocumentPath)
        /// The start of the interval that a request covers: `{cursor.start}`.
        case cursorStart
        /// The end of the interval that a request covers: `{cursor.end}`.
        case cursorEnd
    }

    /// The parts; two texts never follow each other.
    public var parts: [Part]

    /// Creates a template from its parts.
    public init(parts: [Part]) { self.parts = parts }

    /// Creates a template without placeholders.
    public init(text: String) { parts = text.isEmpty ? [] : [.text(text)] }

    /// The text; `nil` for a template with placeholders.
    public var constantText: String? {
        if parts.isEmpty { return "" }
        if parts.count == 1, case .text(let text) = parts[0] { return text }
        return nil
    }

    /// The names of the parents in the order of their first placeholders.
    public var parents: [String] {
        var names: [String] = []
        for case .parent(let name, _) in parts where !names.contains(name) { names.append(name) }
        return names
    }
}

extension Template: CustomStringConvertible {
    /// The text of the template, as definitions write it.
    public var description: String {
        parts.map { part in
            switch part {
            case .text(let text): Self.escaped(text)
            case .parent(let name, let path): "{\(name).\(path)}"
            case .cursorStart: "{cursor.start}"
            case .cursorEnd: "{cursor.end}"
            }
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            escaped.append(character)
            if character == "{" || character == "}" { escaped.append(character) }
        }
        return escaped
    }
}
