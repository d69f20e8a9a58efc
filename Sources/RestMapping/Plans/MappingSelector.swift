// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The compiled matchers of a dynamic mapping: consecutive ones that compare the value at one path are
/// one lookup.
final class MappingSelector: Sendable {
    /// The location of a value that matchers compare.
    struct Location: Sendable {
        let path: SourcePath
        /// The key, if the path is a single one.
        let key: (key: TextKey, text: String)?

        init(_ path: SourcePath) {
            self.path = path
            guard path.components.count == 1, case .key(let text) = path.components[0] else {
                key = nil
                return
            }
            key = (TextKey(text), text)
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

    let tests: [Test]
    let candidates: [ObjectMapping]
    /// The type of each candidate; `nil` for an entity.
    let subjects: [ObjectIdentifier?]
    /// The paths of values that an earlier matcher matches.
    let unreachable: [String]
    /// The paths of matchers that no value can be found at, with the reasons.
    let invalidPaths: [(path: String, diagnostic: String)]
    /// The hash table for the first test, if it compares short texts.
    let lookup: TextLookup?
    /// A Boolean value that indicates whether the only candidate is chosen for every representation.
    let isFixed: Bool
    /// A Boolean value that indicates whether the first candidate is chosen for plain values, and the second
    /// for all others.
    let isByKind: Bool

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
        invalidPaths = mapping.matchers.compactMap { matcher in
            guard let path = matcher.path, let diagnostic = path.orderDiagnostic else { return nil }
            return ("\(path)", diagnostic)
        }
        isFixed = false
        isByKind = false
        guard case .comparison(let first) = tests.first, first.location.path.components.count == 1,
            case .key(let key) = first.location.path.components[0]
        else {
            lookup = nil
            return
        }
        lookup = TextLookup(of: key, first.texts.values.compactMap(\.first))
    }

    /// Creates a selector that chooses one mapping for every representation.
    init(only mapping: ObjectMapping) {
        tests = []
        candidates = [mapping]
        subjects = [mapping.table.subject.map { ObjectIdentifier($0) }]
        unreachable = []
        invalidPaths = []
        lookup = nil
        isFixed = true
        isByKind = false
    }

    /// Creates a selector for values that are an object or, in its place, plain.
    init(ofPlainValues reference: ObjectMapping) {
        tests = []
        candidates = [reference]
        let subject = reference.table.subject.map { ObjectIdentifier($0) }
        subjects = [subject, subject]
        unreachable = []
        invalidPaths = []
        lookup = nil
        isFixed = false
        isByKind = true
    }

    /// A Boolean value that indicates whether a matcher compares a value of the metadata.
    var usesMetadata: Bool {
        tests.contains { test in
            switch test {
            case .comparison(let comparison): comparison.location.path.beginsWithMetadata
            case .kind(let location, _, _): location.path.beginsWithMetadata
            case .predicate, .selection: false
            }
        }
    }

    /// A Boolean value that indicates whether a closure chooses the mapping among any mappings, because
    /// none is declared.
    var mayChooseUndeclared: Bool {
        candidates.isEmpty && tests.contains { if case .selection = $0 { true } else { false } }
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
        _ path: SourcePath, _ cases: [(value: Document, mapping: ObjectMapping)]
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
    func candidate(for value: Node) -> Int? {
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
