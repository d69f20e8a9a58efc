// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A merge of a new inference into a definition that a person has edited.
///
/// The base is the inference that was edited. What the new inference changes is changed in the text; what the person
/// has edited stays, with its comments and its layout. A setting that both have changed is a conflict: the edit
/// stays, and the conflict says what to write to take the inference.
public struct DefinitionMerge: Sendable {
    /// A text with the values that were read from it.
    public struct Source: Sendable {
        /// The text, in YAML.
        public var text: String
        /// The value of the text, with positions.
        public var value: SourceValue

        /// Creates a source.
        public init(_ text: String, _ value: SourceValue) {
            self.text = text
            self.value = value
        }
    }

    /// A setting that the person and the inference have changed differently.
    public struct Conflict: Sendable, Hashable, CustomStringConvertible {
        /// The line of the edit in the merged text, counted from 1.
        public var line: Int
        /// The path of the setting.
        public var path: DocumentPath
        /// The inferred value as YAML; `nil` if the inference does not have the setting any more.
        public var inferred: String?

        /// The line, the path and what to write.
        public var description: String {
            "\(line): \(path) is edited, and the inference has changed; "
                + (inferred.map { "to take it, write `\($0)`" } ?? "to take it, remove the setting")
        }
    }

    /// The merged text.
    public let text: String
    /// The paths of the settings that the inference has changed in the text.
    public let changes: [DocumentPath]
    /// The settings that both have changed.
    public let conflicts: [Conflict]

    /// Merges.
    ///
    /// - Parameters:
    ///   - base: The inference that the person has edited.
    ///   - edited: The edited text.
    ///   - inferred: The new inference.
    ///   - comments: The reasons for the new inference, by the path of the setting.
    public init(
        base: Source, edited: Source, inferred: SourceValue,
        comments: [DocumentPath: String] = [:]
    ) {
        var merger = TextMerger(base: base, edited: edited, comments: comments)
        merger.merge(base.value, edited.value, inferred, .root, indentation: 0)
        (text, changes, conflicts) = merger.result()
    }
}

/// The collection of the changes of lines.
private struct TextMerger {
    private struct Edit {
        var range: Range<Int>
        var lines: [String]
    }

    private let lines: [String]
    /// The comments that inferences have written, which go with their settings.
    private let ownComments: Set<String>
    private let comments: [DocumentPath: String]
    private var edits: [Edit] = []
    private var changes: [DocumentPath] = []
    private var conflicts: [DefinitionMerge.Conflict] = []

    init(
        base: DefinitionMerge.Source, edited: DefinitionMerge.Source,
        comments: [DocumentPath: String]
    ) {
        lines = edited.text.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        ownComments = Set(
            base.text.split(separator: "\n").map { $0.trimmed }.filter { $0.hasPrefix("#") })
        self.comments = comments
    }

    // MARK: Comparing

    mutating func merge(
        _ base: SourceValue?, _ edited: SourceValue, _ inferred: SourceValue,
        _ path: DocumentPath, indentation: Int
    ) {
        let own = edited.members ?? []
        let keys =
            own.map(\.key)
            + (inferred.members ?? []).map(\.key).filter { key in
                !own.contains { $0.key == key }
            }
        for key in keys {
            merge(
                base?[key], own.first { $0.key == key },
                inferred.members?.first { $0.key == key }, path.appending(key: key), edited,
                indentation: indentation)
        }
    }

    private mutating func merge(
        _ base: SourceValue?, _ edited: SourceValue.Member?, _ inferred: SourceValue.Member?,
        _ path: DocumentPath, _ parent: SourceValue, indentation: Int
    ) {
        if isSame(inferred?.value, base) || isSame(inferred?.value, edited?.value) { return }
        if let edited, let inferred, inferred.value.members != nil,
            let inner = blockIndentation(of: edited)
        {
            merge(base, edited.value, inferred.value, path, indentation: inner)
            return
        }
        if isSame(edited?.value, base) {
            changes.append(path)
            switch (edited, inferred) {
            case (let edited?, let inferred?):
                replace(edited, by: text(of: inferred, path, indentation), path)
            case (let edited?, nil): replace(edited, by: [], path)
            case (nil, let inferred?):
                insert(text(of: inferred, path, indentation), into: parent, path)
            case (nil, nil): break
            }
            return
        }
        let line =
            edited?.location?.line ?? parent.location?.line
            ?? (parent.members?.first?.location?.line ?? 1)
        conflicts.append(
            DefinitionMerge.Conflict(
                line: line, path: path,
                inferred: inferred.map { member in
                    var writer = YAMLWriter(comments: [:])
                    return writer.lines(of: member, at: .root, indentation: 0)
                        .joined(separator: "\n")
                }))
    }

    private func isSame(_ left: SourceValue?, _ right: SourceValue?) -> Bool {
        left?.canonicalText == right?.canonicalText
    }

    // MARK: Lines

    /// Returns the indentation of the members of a mapping that has a line for each; `nil` for any other value.
    private func blockIndentation(of member: SourceValue.Member) -> Int? {
        guard let members = member.value.members, let first = members.first?.location,
            members.allSatisfy({ inner in
                guard let location = inner.location, let text = line(location.line) else {
                    return false
                }
                return text.prefix(location.column - 1).allSatisfy { $0 == " " }
            }), first.line != member.location?.line
        else { return nil }
        return first.column - 1
    }

    private func line(_ number: Int) -> String? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }

    private mutating func replace(
        _ member: SourceValue.Member, by new: [String], _ path: DocumentPath
    ) {
        guard let location = member.location else { return }
        let start = location.line - 1
        var first = start
        while first > 0, ownComments.contains(lines[first - 1].trimmed) { first -= 1 }
        edits.append(
            Edit(range: first..<end(of: start, indentation: location.column - 1), lines: new))
    }

    private mutating func insert(
        _ new: [String], into parent: SourceValue, _ path: DocumentPath
    ) {
        guard let last = parent.members?.compactMap(\.location).max() else { return }
        let line = end(of: last.line - 1, indentation: last.column - 1)
        edits.append(Edit(range: line..<line, lines: new))
    }

    /// Returns the index of the line after the block of a member.
    private func end(of start: Int, indentation: Int) -> Int {
        var end = start + 1
        for index in (start + 1)..<max(start + 1, lines.count) {
            let text = lines[index]
            if text.allSatisfy({ $0 == " " }) { continue }
            let depth = text.prefix { $0 == " " }.count
            // Elements of a sequence may be as deep as its key.
            let isElement = depth == indentation && text.trimmed.hasPrefix("- ")
            guard depth > indentation || isElement else { break }
            end = index + 1
        }
        return end
    }

    private func text(
        of member: SourceValue.Member, _ path: DocumentPath, _ indentation: Int
    ) -> [String] {
        var parent = path
        parent.components.removeLast()
        var writer = YAMLWriter(comments: comments)
        return writer.lines(of: member, at: parent, indentation: indentation)
    }

    // MARK: Result

    func result() -> (String, [DocumentPath], [DefinitionMerge.Conflict]) {
        var text = lines
        var moved = conflicts
        // Later lines first, so that the numbers of earlier ones stay.
        for edit in edits.enumerated().sorted(by: {
            ($0.element.range.lowerBound, $0.offset) > ($1.element.range.lowerBound, $1.offset)
        }).map(\.element) {
            text.replaceSubrange(edit.range, with: edit.lines)
            for index in conflicts.indices
            where conflicts[index].line > edit.range.upperBound {
                moved[index].line += edit.lines.count - edit.range.count
            }
        }
        return (text.joined(separator: "\n"), changes, moved.sorted { $0.line < $1.line })
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}

extension SourceValue {
    /// The value as JSON with sorted keys, in which layout and order make no difference.
    fileprivate var canonicalText: String {
        switch content {
        case .scalar(let scalar):
            return "\(scalar.description.utf8.count)=\(scalar.description)"
        case .sequence(let elements):
            return "[" + elements.map(\.canonicalText).joined(separator: ",") + "]"
        case .mapping(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return "{"
                + sorted.map { "\($0.key):\($0.value.canonicalText)" }.joined(separator: ",") + "}"
        }
    }
}
