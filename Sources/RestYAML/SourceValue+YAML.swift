// SPDX-License-Identifier: Apache-2.0

public import RestDefinition
import Yams

extension SourceValue {
    /// The maximum size of a YAML text, in bytes.
    public static let maximumYAMLByteCount = 32 * 1_048_576
    /// The maximum number of values of a YAML text, with those of each alias.
    private static let maximumValueCount = 2_000_000

    /// Creates a value by parsing YAML text, with the positions in it.
    ///
    /// Unquoted scalars are read as YAML 1.2 and JSON do: `no` and `on` are texts, and so are digits that
    /// JSON does not allow, such as `007`. The key `<<` merges mappings.
    ///
    /// - Throws: `DefinitionError` with the position if the text is not valid YAML or exceeds a limit.
    /// - Complexity: O(*n*) in the size of the text and of all aliases.
    public init(parsingYAML text: String) throws(DefinitionError) {
        guard text.utf8.count <= Self.maximumYAMLByteCount else {
            throw Self.error(
                nil, "the text is larger than \(Self.maximumYAMLByteCount) bytes", "split it")
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Self.error(reading: error)
        }
        guard let root else { throw Self.error(nil, "the file is empty", "write `version: 1`") }
        var converter = NodeConverter(remainingCount: Self.maximumValueCount)
        guard let value = converter.value(of: root) else {
            throw Self.error(
                nil, "the text has more than \(Self.maximumValueCount) values",
                "write fewer values or aliases")
        }
        self = value
    }

    private static func error(
        _ location: SourceLocation?, _ problem: String, _ advice: String
    ) -> DefinitionError {
        DefinitionError([
            DefinitionDiagnostic(.invalidSyntax, at: location, problem: problem, advice: advice)
        ])
    }

    private static func error(reading error: any Error) -> DefinitionError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            Self.error(
                mark.location, "the text is not valid YAML: \(problem)",
                "check the indentation and the quotation marks here and above")
        case .duplicatedKeysInMapping(let names, let context):
            DefinitionError([
                DefinitionDiagnostic(
                    .duplicateName, at: context.mark.location,
                    problem: names.map { "key `\($0)`" }.joined(separator: ", ") + " appears twice",
                    advice: "remove one of them")
            ])
        default:
            Self.error(nil, "the text is not valid YAML", "write UTF-8 without control characters")
        }
    }
}

extension Mark {
    fileprivate var location: SourceLocation { SourceLocation(line: line, column: column) }
}

/// A conversion from the nodes of Yams, which counts the values so that aliases cannot exhaust the memory.
private struct NodeConverter {
    var remainingCount: Int

    /// Returns the value of a node; `nil` if there are too many values.
    mutating func value(of node: Node) -> SourceValue? {
        remainingCount -= 1
        guard remainingCount >= 0 else { return nil }
        let location = node.mark?.location
        switch node {
        case .scalar(let scalar):
            let value =
                scalar.style == .plain || scalar.style == .any
                ? PlainScalar.value(of: scalar.string) : .text(scalar.string)
            return SourceValue(.scalar(value), at: location)
        case .sequence(let sequence):
            var elements: [SourceValue] = []
            for node in sequence {
                guard let element = value(of: node) else { return nil }
                elements.append(element)
            }
            return SourceValue(.sequence(elements), at: location)
        case .mapping(let mapping):
            return members(of: mapping).map { SourceValue(.mapping($0), at: location) }
        case .alias:
            // The parser replaces aliases by their values.
            return SourceValue(.scalar(.null), at: location)
        }
    }

    private mutating func members(of mapping: Node.Mapping) -> [SourceValue.Member]? {
        var members: [SourceValue.Member] = []
        var merged: [SourceValue.Member] = []
        for (key, node) in mapping {
            guard let value = value(of: node) else { return nil }
            guard case .scalar(let scalar) = key else {
                members.append(.init("?", value, at: key.mark?.location))
                continue
            }
            if scalar.string == "<<", scalar.style == .plain {
                merged += Self.mergedMembers(of: value)
            } else {
                members.append(.init(scalar.string, value, at: key.mark?.location))
            }
        }
        var known = Set(members.map(\.key))
        for member in merged where known.insert(member.key).inserted { members.append(member) }
        return members
    }

    private static func mergedMembers(of value: SourceValue) -> [SourceValue.Member] {
        switch value.content {
        case .mapping(let members): members
        case .sequence(let elements): elements.flatMap { mergedMembers(of: $0) }
        case .scalar: []
        }
    }
}

/// Scalars without quotation marks.
private enum PlainScalar {
    /// Returns the value of a text by the core schema of YAML 1.2, with the numbers of JSON.
    static func value(of text: String) -> ScalarValue {
        switch text {
        case "", "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE": .boolean(true)
        case "false", "False", "FALSE": .boolean(false)
        default: isNumber(text) ? .number(text) : .text(text)
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == 0x2D { rest = rest.dropFirst() }
        let leading = rest.first
        let integer = digits()
        guard integer > 0, leading != 0x30 || integer == 1 else { return false }
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == 0x65 || rest.first == 0x45 {
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
