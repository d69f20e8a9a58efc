// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension MappingSelector {
    /// A representation that a mapping is chosen for.
    struct Representation {
        /// The representation; for a member of an object, an object with that member alone.
        let node: Node
        /// The value in the document: the representation, or the key of a member.
        let origin: Node
        let resolver: SourceResolver

        init(_ origin: Node, _ resolver: SourceResolver) {
            node = resolver.representation(origin)
            self.origin = origin
            self.resolver = resolver
        }

        /// Returns the value of a source; a placeholder is the key of the representation.
        fileprivate func value(at path: SourcePath) -> Node? {
            guard path.hasPlaceholder else { return result(of: path) }
            guard let key = node.members.first(where: { _ in true })?.key else { return nil }
            resolver.nestingKeys.append(key)
            defer { resolver.nestingKeys.removeLast() }
            return result(of: path)
        }

        /// Returns the value of a source; `nil` if an operator cannot use a value.
        private func result(of path: SourcePath) -> Node? {
            let found = resolver.value(at: path, of: origin)
            return resolver.unsuitableValue == nil ? found : nil
        }
    }

    /// Returns the mapping for a representation; `nil` if no test matches.
    ///
    /// - Complexity: O(*m*) in the number of tests, where all values at one path are one test, and of the
    ///   members visited.
    func choice(for representation: Representation) -> Choice? {
        for test in tests {
            switch test {
            case .comparison(let comparison):
                guard let value = comparison.location.value(in: representation) else { continue }
                if let found = comparison.candidate(for: value) { return .candidate(found) }
            case .kind(let location, let kind, let candidate):
                if location.value(in: representation)?.kind == kind { return .candidate(candidate) }
            case .predicate(let predicate, let candidate):
                if predicate(representation.node) { return .candidate(candidate) }
            case .selection(let selection):
                if let found = selection(representation.node) { return found }
            }
        }
        return nil
    }
}

extension MappingSelector.Location {
    fileprivate func value(in candidate: MappingSelector.Representation) -> Node? {
        guard let key else { return candidate.value(at: path) }
        let node = candidate.node
        guard node.kind == .object else { return nil }
        return node.withView { view in
            view.member(key.key, key.text).map {
                Node(storage: node.storage, index: $0.index)
            }
        }
    }
}
