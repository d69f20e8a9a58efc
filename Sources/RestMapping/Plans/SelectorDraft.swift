// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A selector under construction, with the mappings that it chooses among.
struct SelectorDraft {
    /// All mappings that may be chosen, in the order of the matchers.
    let candidates: [ObjectMapping]
    /// The number of candidates of the matchers that were added.
    private var addedCount = 0
    private var tests: [MappingSelector.Test] = []
    /// The paths of values that an earlier matcher matches.
    private(set) var unreachable: [String] = []
    /// The paths of matchers that no value can be found at, with the reasons.
    let invalidPaths: [(path: String, diagnostic: String)]

    init(_ mapping: DynamicMapping) {
        candidates = mapping.matchers.flatMap(\.possibleMappings) + mapping.selectable
        invalidPaths = mapping.matchers.compactMap { matcher in
            guard let path = matcher.path, let diagnostic = path.orderDiagnostic else { return nil }
            return ("\(path)", diagnostic)
        }
        for matcher in mapping.matchers { add(matcher) }
        if let selection = mapping.selection { add(selection) }
    }

    /// The selector with all tests.
    var selector: MappingSelector {
        MappingSelector(
            tests, subjects: candidates.map { $0.table.subject.map { ObjectIdentifier($0) } })
    }

    private mutating func add(_ matcher: MappingMatcher) {
        switch matcher.condition {
        case .values(let path, let cases): compare(path, cases.map(\.value))
        case .kind(let path, let kind, _):
            tests.append(.kind(MappingSelector.Location(path), kind, nextCandidate()))
        case .predicate(let predicate, _): tests.append(.predicate(predicate, nextCandidate()))
        case .selection(let possible, let selection):
            addedCount += possible.count
            add(selection)
        }
    }

    private mutating func nextCandidate() -> Int {
        defer { addedCount += 1 }
        return addedCount
    }

    private mutating func add(_ selection: @escaping @Sendable (Node) -> ObjectMapping?) {
        tests.append(
            .selection { [candidates] node in
                guard let mapping = selection(node) else { return nil }
                if let index = candidates.firstIndex(of: mapping) { return .candidate(index) }
                return .uncompiled(
                    MappingSelector.UncompiledMapping(mapping) { () throws(MappingError) in
                        try MappingCompiler().compile(mapping)
                    })
            })
    }

    private mutating func compare(_ path: SourcePath, _ values: [Document]) {
        var comparison = MappingSelector.Comparison(location: MappingSelector.Location(path))
        if case .comparison(let last) = tests.last, last.location.path == path {
            comparison = last
            tests.removeLast()
        }
        for value in values {
            let isMatchedEarlier = tests.contains {
                guard case .comparison(let earlier) = $0, earlier.location.path == path else {
                    return false
                }
                return earlier.candidate(for: value.root) != nil
            }
            if isMatchedEarlier || comparison.candidate(for: value.root) != nil {
                unreachable.append("\(path)")
            }
            comparison.add(value, nextCandidate())
        }
        tests.append(.comparison(comparison))
    }
}
