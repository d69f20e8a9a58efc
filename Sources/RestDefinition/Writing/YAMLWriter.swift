// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A writer that creates YAML text with comments from values.
struct YAMLWriter {
    /// The keys whose mappings have a line for each member.
    static let blockKeys: Set<String> = [
        "api", "resources", "entities", "attributes", "relations", "headers", "parameters", "of",
    ]
    /// The maximum length of a line, if words can be wrapped.
    private static let width = 100

    /// Comments by the paths of the values that they describe.
    private let comments: [DocumentPath: String]
    private var output = ""

    /// Creates a writer with comments, which are on lines of their own above their key, or behind a short
    /// value.
    init(comments: [DocumentPath: String]) { self.comments = comments }

    /// Returns the text of a mapping.
    mutating func text(of value: SourceValue) -> String {
        if let comment = comments[.root] {
            for line in wrapped(comment, width: Self.width - 2) { output += "# \(line)\n" }
        }
        if let members = value.members {
            for member in members { write(member, .root, indentation: 0) }
        }
        return output
    }

    /// Returns the lines of a member of a mapping, with its comments.
    mutating func lines(
        of member: SourceValue.Member, at path: DocumentPath, indentation: Int
    ) -> [String] {
        output = ""
        write(member, path, indentation: indentation)
        return output.split(separator: "\n").map(String.init)
    }

    private mutating func write(
        _ member: SourceValue.Member, _ path: DocumentPath, indentation: Int
    ) {
        let path = path.appending(key: member.key)
        let margin = String(repeating: " ", count: indentation)
        let key = YAMLScalar.text(of: .text(member.key), isInFlow: false)
        if let inline = inline(member, path, width: Self.width - indentation - key.count) {
            let line = "\(margin)\(key): \(inline)"
            writeComment(path, behind: line, margin)
            output += "\n"
            return
        }
        writeComment(path, above: margin)
        output += "\(margin)\(key):\n"
        writeContent(member.value, path, indentation: indentation + 2)
    }

    private mutating func writeContent(
        _ value: SourceValue, _ path: DocumentPath, indentation: Int
    ) {
        switch value.content {
        case .scalar: break
        case .mapping(let members):
            for member in members { write(member, path, indentation: indentation) }
        case .sequence(let elements):
            let margin = String(repeating: " ", count: indentation)
            for (index, element) in elements.enumerated() {
                let elementPath = path.appending(index: index)
                writeComment(elementPath, above: margin)
                if let flow = flow(element, width: Self.width - indentation) {
                    output += "\(margin)- \(flow)\n"
                    continue
                }
                let start = output.endIndex
                writeContent(element, elementPath, indentation: indentation + 2)
                // The first line of the element is behind the dash.
                let dash = output.index(start, offsetBy: indentation)
                output.replaceSubrange(dash...dash, with: "-")
            }
        }
    }

    /// Returns the value on one line; `nil` if it needs several.
    private func inline(_ member: SourceValue.Member, _ path: DocumentPath, width: Int) -> String? {
        switch member.value.content {
        case .scalar(let scalar): return YAMLScalar.text(of: scalar, isInFlow: false)
        case .mapping(let members):
            let isBlock = Self.blockKeys.contains(member.key) || path.components.count == 2
            if isBlock, !members.isEmpty { return nil }
        case .sequence: break
        }
        let hasComments = comments.keys.contains { other in
            other.components.count > path.components.count
                && other.components.starts(with: path.components)
        }
        return hasComments ? nil : flow(member.value, width: width)
    }

    /// Returns a value in flow style; `nil` if it is too long or too deep.
    private func flow(_ value: SourceValue, width: Int, depth: Int = 0) -> String? {
        let text: String?
        switch value.content {
        case .scalar(let scalar): return YAMLScalar.text(of: scalar, isInFlow: true)
        case .sequence(let elements):
            let parts = elements.map { flow($0, width: width, depth: depth + 1) }
            text =
                parts.contains(nil) ? nil : "[\(parts.compactMap(\.self).joined(separator: ", "))]"
        case .mapping(let members):
            let parts = members.map { member in
                flow(member.value, width: width, depth: depth + 1).map {
                    "\(YAMLScalar.text(of: .text(member.key), isInFlow: true)): \($0)"
                }
            }
            text =
                parts.contains(nil) ? nil : "{\(parts.compactMap(\.self).joined(separator: ", "))}"
        }
        guard let text, text.count <= width, depth < 3 else { return nil }
        return text
    }

    /// Writes a line with its comment, behind it or above it.
    private mutating func writeComment(_ path: DocumentPath, behind line: String, _ margin: String)
    {
        guard let comment = comments[path] else {
            output += line
            return
        }
        let lines = wrapped(comment, width: Self.width)
        if lines.count == 1, line.count + lines[0].count + 4 <= Self.width {
            output += "\(line)  # \(lines[0])"
        } else {
            writeComment(path, above: margin)
            output += line
        }
    }

    private mutating func writeComment(_ path: DocumentPath, above margin: String) {
        guard let comment = comments[path] else { return }
        for line in wrapped(comment, width: Self.width - margin.count - 2) {
            output += line.isEmpty ? "\(margin)#\n" : "\(margin)# \(line)\n"
        }
    }

    /// Returns the lines of a comment; control characters, which could end it, become spaces.
    private func wrapped(_ comment: String, width: Int) -> [String] {
        comment.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
            var lines: [String] = []
            var line = ""
            for word in paragraph.split(whereSeparator: { $0 == " " || $0.isNewline }) {
                let text = String(word.map { $0.isControl ? "?" : $0 })
                if !line.isEmpty, line.count + text.count + 1 > width {
                    lines.append(line)
                    line = ""
                }
                line += line.isEmpty ? text : " " + text
            }
            return lines + [line]
        }
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
