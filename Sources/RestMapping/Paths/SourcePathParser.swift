// SPDX-License-Identifier: Apache-2.0

/// A parser of the text of a source path, scalar by scalar.
struct SourcePathParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: some StringProtocol) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func components() throws(MappingError) -> [SourcePath.Component] {
        var components: [SourcePath.Component] = []
        while position < scalars.count {
            if scalars[position] == "[" {
                components.append(try bracketed())
                continue
            }
            if !components.isEmpty {
                guard scalars[position] == "." else { throw error("'.' or '['") }
                position += 1
            }
            components.append(try step())
        }
        return components
    }

    /// Parses `[3]` or `[""]`.
    private mutating func bracketed() throws(MappingError) -> SourcePath.Component {
        guard let end = scalars[position...].firstIndex(of: "]") else { throw error("']'") }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[position + 1..<end])
        if text == "\"\"" {
            position = end + 1
            return .key("")
        }
        guard !text.isEmpty, text.allSatisfy({ ("0"..."9").contains($0) }), let index = Int(text)
        else { throw error("an index of a list") }
        position = end + 1
        return .index(index)
    }

    /// Parses a key, a placeholder or a step that begins with `@`.
    private mutating func step() throws(MappingError) -> SourcePath.Component {
        let start = position
        var text = String.UnicodeScalarView()
        var lastEscape = -1
        scan: while position < scalars.count {
            switch scalars[position] {
            case "." where scalars[..<position].suffix(6).elementsEqual("@odata".unicodeScalars):
                text.append(".")
            case ".", "[":
                break scan
            case "]":
                throw error("'\\]', a bracket that belongs to a key")
            case "\\":
                lastEscape = position
                position += 1
                guard position < scalars.count else { throw error("a character after '\\'") }
                text.append(scalars[position])
            case let scalar:
                text.append(scalar)
            }
            position += 1
        }
        guard position > start else { throw error("a key") }
        let name = String(text)
        let last = scalars[position - 1]
        let isEnclosed = text.count > 2 && lastEscape != position - 2
        switch (scalars[start], last) {
        case ("@", _) where name.hasPrefix("@odata."): return .key(name)
        case ("@", _): return try directive(String(name.dropFirst()), at: start)
        case ("{", "}") where isEnclosed, ("(", ")") where isEnclosed:
            return .placeholder(String(text.dropFirst().dropLast()))
        default: return .key(name)
        }
    }

    private func directive(
        _ name: String, at start: Int
    ) throws(MappingError) -> SourcePath.Component {
        switch name {
        case "metadata": return .metadata
        case "root": return .root
        case "parent": return .parent
        default:
            if let collection = CollectionOperator(rawValue: name) { return .collected(collection) }
            let known =
                CollectionOperator.allCases.map(\.rawValue) + ["metadata", "root", "parent"]
            let hint = PlanDiagnostic.nearest(to: name, among: known).map { "'@\($0)'" }
            throw error("\(hint ?? "an operator such as '@count'"), or '\\@' for a key", at: start)
        }
    }

    private func error(_ expected: String, at offset: Int? = nil) -> MappingError {
        MappingError(
            .invalidSource, mapping: "",
            details: ["expected \(expected) at character \(offset ?? position)"])
    }
}
