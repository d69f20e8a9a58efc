// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The compiled matchers of a dynamic mapping: consecutive ones that compare the value at one path are
/// one lookup.
final class MappingSelector: Sendable {
    /// The location of a value that matchers compare.
    struct Location: Sendable {
        let path: DocumentPath
        /// The key, if the path is a single one.
        private let key: (key: TextKey, text: String)?

        init(_ path: DocumentPath) {
            self.path = path
            guard path.components.count == 1, case .key(let text) = path.components[0] else {
                key = nil
                return
            }
            key = (TextKey(text), text)
        }

        func value(in node: Node) -> Node? {
            guard let key else { return node[path] }
            return node.withView { view in
                view.member(key.key, key.text).map {
                    Node(storage: node.storage, index: $0.index)
                }
            }
        }
    }

    /// The values that are compared at one location.
    struct Comparison: Sendable {
        let location: Location
        var texts: [TextKey: [(text: String, candidate: Int)]] = [:]
        var others: [(value: Document, candidate: Int)] = []
    }

    enum Test: Sendable {
        case comparison(Comparison)
        case kind(Location, NodeKind, Int)
        case predicate(@Sendable (Node) -> Bool, Int)
        case selection(@Sendable (Node) -> ObjectMapping?)
    }

    /// The mapping chosen for a representation.
    enum Choice {
        /// One of the mappings compiled with the plan.
        case candidate(Int)
        /// A mapping that was not compiled with the plan.
        case uncompiled(ObjectMapping)
    }

    let tests: [Test]
    let candidates: [ObjectMapping]
    /// The type of each candidate; `nil` for an entity.
    let subjects: [ObjectIdentifier?]
    /// The paths of values that an earlier matcher matches.
    let unreachable: [String]
    /// The hash table for the first test, if it compares short texts.
    let lookup: TextLookup?

    init(_ mapping: DynamicMapping) {
        var draft = SelectorDraft()
        for matcher in mapping.matchers { draft.add(matcher) }
        if let selection = mapping.selection {
            draft.candidates += mapping.selectable
            draft.tests.append(.selection(selection))
        }
        tests = draft.tests
        candidates = draft.candidates
        subjects = draft.candidates.map { $0.table.subject.map { ObjectIdentifier($0) } }
        unreachable = draft.unreachable
        guard case .comparison(let first) = tests.first, first.location.path.components.count == 1,
            case .key(let key) = first.location.path.components[0]
        else {
            lookup = nil
            return
        }
        lookup = TextLookup(of: key, first.texts.values.compactMap(\.first))
    }

    /// A Boolean value that indicates whether a closure chooses the mapping among any mappings, because
    /// none is declared.
    var mayChooseUndeclared: Bool {
        candidates.isEmpty && tests.contains { if case .selection = $0 { true } else { false } }
    }

    /// Returns the mapping for a representation; `nil` if no test matches.
    ///
    /// - Complexity: O(*m*) in the number of tests, where all values at one path are one test, and of the
    ///   members visited.
    func choice(for node: Node) -> Choice? {
        for test in tests {
            switch test {
            case .comparison(let comparison):
                guard let value = comparison.location.value(in: node) else { continue }
                if let found = comparison.candidate(for: value) { return .candidate(found) }
            case .kind(let location, let kind, let candidate):
                if location.value(in: node)?.kind == kind { return .candidate(candidate) }
            case .predicate(let predicate, let candidate):
                if predicate(node) { return .candidate(candidate) }
            case .selection(let selection):
                guard let mapping = selection(node) else { continue }
                return candidates.firstIndex(of: mapping).map(Choice.candidate)
                    ?? .uncompiled(mapping)
            }
        }
        return nil
    }
}

/// A selector under construction.
private struct SelectorDraft {
    var tests: [MappingSelector.Test] = []
    var candidates: [ObjectMapping] = []
    var unreachable: [String] = []

    mutating func add(_ matcher: MappingMatcher) {
        switch matcher.condition {
        case .values(let path, let cases): compare(path, cases)
        case .kind(let path, let kind, let mapping):
            tests.append(.kind(MappingSelector.Location(path), kind, add(mapping)))
        case .predicate(let predicate, let mapping):
            tests.append(.predicate(predicate, add(mapping)))
        case .selection(let possible, let selection):
            candidates += possible
            tests.append(.selection(selection))
        }
    }

    private mutating func add(_ mapping: ObjectMapping) -> Int {
        candidates.append(mapping)
        return candidates.count - 1
    }

    private mutating func compare(
        _ path: DocumentPath, _ cases: [(value: Document, mapping: ObjectMapping)]
    ) {
        var comparison = MappingSelector.Comparison(location: MappingSelector.Location(path))
        if case .comparison(let last) = tests.last, last.location.path == path {
            comparison = last
            tests.removeLast()
        }
        for (value, mapping) in cases {
            let isMatchedEarlier = tests.contains {
                guard case .comparison(let earlier) = $0, earlier.location.path == path else {
                    return false
                }
                return earlier.candidate(for: value.root) != nil
            }
            if isMatchedEarlier || comparison.candidate(for: value.root) != nil {
                unreachable.append("\(path)")
            }
            comparison.add(value, add(mapping))
        }
        tests.append(.comparison(comparison))
    }
}

extension MappingSelector.Comparison {
    fileprivate mutating func add(_ value: Document, _ candidate: Int) {
        if let text = value.root.string {
            texts[TextKey(text), default: []].append((text, candidate))
        } else {
            others.append((value, candidate))
        }
    }

    /// Returns the candidate of the first matcher that matches a value.
    fileprivate func candidate(for value: Node) -> Int? {
        guard value.kind == .string else {
            return others.first { $0.value.root == value }?.candidate
        }
        let plain = value.withView { $0.kind == .string ? TextKey($0) : nil }
        guard let plain else {
            let text = value.string ?? ""
            return texts[TextKey(text)]?.first { $0.text == text }?.candidate
        }
        guard let found = texts[plain] else { return nil }
        if plain.isWhole { return found.first?.candidate }
        let text = value.string
        return found.first { $0.text == text }?.candidate
    }
}
