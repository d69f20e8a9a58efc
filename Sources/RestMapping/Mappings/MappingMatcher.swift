// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A condition on a representation and the mapping it leads to.
///
/// A matcher is equal to its copies and to no other, as closures cannot be compared.
public struct MappingMatcher: Sendable, Equatable {
    enum Condition: Sendable {
        /// The value at a path, compared with several; a mapping for each.
        case values(DocumentPath, [(value: Document, mapping: ObjectMapping)])
        /// The kind of the value at a path.
        case kind(DocumentPath, NodeKind, ObjectMapping)
        /// Any condition.
        case predicate(@Sendable (Node) -> Bool, ObjectMapping)
        /// Chooses among mappings itself.
        case selection([ObjectMapping], @Sendable (Node) -> ObjectMapping?)
    }

    let condition: Condition
    private let identity = MatcherIdentity()

    /// Matches if the value at a path equals one; numbers are compared exactly.
    ///
    /// A missing value never matches; `nil` matches null.
    public init(at path: DocumentPath, equals value: Document, mapping: ObjectMapping) {
        condition = .values(path, [(value, mapping)])
    }

    /// Matches if the value at a path equals one of several, each with a mapping of its own.
    public init(
        at path: DocumentPath, mappings: KeyValuePairs<Document, ObjectMapping>
    ) {
        condition = .values(path, mappings.map { ($0.key, $0.value) })
    }

    /// Matches if the value at a path is of a kind.
    public init(at path: DocumentPath, is kind: NodeKind, mapping: ObjectMapping) {
        condition = .kind(path, kind, mapping)
    }

    /// Matches if a closure says so.
    public init(
        mapping: ObjectMapping, where predicate: @escaping @Sendable (Node) -> Bool
    ) {
        condition = .predicate(predicate, mapping)
    }

    /// Matches if a closure returns a mapping.
    ///
    /// - Parameters:
    ///   - possible: The mappings it returns; see ``DynamicMapping/init(possible:selection:)``.
    ///   - selection: Chooses a mapping; nil if the matcher does not match.
    public init(
        possible: [ObjectMapping], selection: @escaping @Sendable (Node) -> ObjectMapping?
    ) {
        condition = .selection(possible, selection)
    }

    /// The mappings it may lead to.
    public var possibleMappings: [ObjectMapping] {
        switch condition {
        case .values(_, let cases): cases.map(\.mapping)
        case .kind(_, _, let mapping), .predicate(_, let mapping): [mapping]
        case .selection(let mappings, _): mappings
        }
    }

    /// Whether two matchers are copies of one.
    public static func == (left: MappingMatcher, right: MappingMatcher) -> Bool {
        left.identity === right.identity
    }
}
