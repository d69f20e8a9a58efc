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
        case selection(@Sendable (Node) -> Choice?)
    }

    /// The mapping chosen for a representation.
    enum Choice: Sendable {
        /// One of the mappings compiled with the plan.
        case candidate(Int)
        /// A mapping that was not compiled with the plan.
        case uncompiled(UncompiledMapping)
    }

    /// A mapping that a closure returned although it was not compiled with the plan.
    struct UncompiledMapping: Sendable, Equatable {
        private let declaration: any Equatable & Sendable
        /// Compiles the mapping.
        let compile: @Sendable () throws(MappingError) -> MappingPlan

        init(
            _ declaration: any Equatable & Sendable,
            _ compile: @escaping @Sendable () throws(MappingError) -> MappingPlan
        ) {
            self.declaration = declaration
            self.compile = compile
        }

        static func == (left: UncompiledMapping, right: UncompiledMapping) -> Bool {
            func isEqual<Declaration: Equatable>(_ declaration: Declaration) -> Bool {
                right.declaration as? Declaration == declaration
            }
            return isEqual(left.declaration)
        }
    }

    let tests: [Test]
    /// The type of each candidate; `nil` for an entity.
    let subjects: [ObjectIdentifier?]
    /// The hash table for the first test, if it compares short texts.
    let lookup: TextLookup?
    /// A Boolean value that indicates whether the only candidate is chosen for every representation.
    let isFixed: Bool
    /// A Boolean value that indicates whether the first candidate is chosen for plain values, and the second
    /// for all others.
    let isByKind: Bool

    /// Creates a selector of the first candidate whose test matches.
    init(_ tests: [Test], subjects: [ObjectIdentifier?]) {
        self.tests = tests
        self.subjects = subjects
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
    init(only subject: ObjectIdentifier?) {
        tests = []
        subjects = [subject]
        lookup = nil
        isFixed = true
        isByKind = false
    }

    /// Creates a selector for values that are an object or, in its place, plain.
    init(ofPlainValuesAndObjects subject: ObjectIdentifier?) {
        tests = []
        subjects = [subject, subject]
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
        subjects.isEmpty && tests.contains { if case .selection = $0 { true } else { false } }
    }
}

extension MappingSelector.Comparison {
    mutating func add(_ value: Document, _ candidate: Int) {
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
