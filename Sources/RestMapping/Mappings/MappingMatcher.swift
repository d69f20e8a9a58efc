// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A condition on a representation, and the mapping that is chosen if it matches.
///
/// A path leads from the representation to a value, as the source of an attribute does: the value may
/// be beside the object, `@parent.type`. The empty path is the representation itself, so that
/// `MappingMatcher(at: "", is: .number, mapping: …)` matches an identity in place of an object. A
/// placeholder such as `{name}` is the key of a representation with one key.
///
/// A matcher equals its copies only, as closures cannot be compared.
public struct MappingMatcher: Sendable, Equatable {
    enum Condition: Sendable {
        /// The value at a path equals one of several, each with a mapping.
        case values(SourcePath, [(value: Document, mapping: ObjectMapping)])
        /// The value at a path is of a kind.
        case kind(SourcePath, NodeKind, ObjectMapping)
        /// A closure returns true.
        case predicate(@Sendable (Node) -> Bool, ObjectMapping)
        /// A closure chooses among mappings.
        case selection([ObjectMapping], @Sendable (Node) -> ObjectMapping?)
    }

    let condition: Condition
    private let identity = ReferenceIdentity()

    /// Creates a matcher of representations whose value at a path equals a given value.
    ///
    /// Numbers are compared exactly. A missing value never matches; `nil` matches null.
    public init(at path: SourcePath, equals value: Document, mapping: ObjectMapping) {
        condition = .values(path, [(value, mapping)])
    }

    /// Creates a matcher of representations whose value at a path equals one of several values,
    /// each with its own mapping.
    public init(
        at path: SourcePath, mappings: KeyValuePairs<Document, ObjectMapping>
    ) {
        condition = .values(path, mappings.map { ($0.key, $0.value) })
    }

    /// Creates a matcher of representations whose value at a path is of a kind.
    public init(at path: SourcePath, is kind: NodeKind, mapping: ObjectMapping) {
        condition = .kind(path, kind, mapping)
    }

    /// Creates a matcher of representations for which a closure returns true.
    public init(
        mapping: ObjectMapping, where predicate: @escaping @Sendable (Node) -> Bool
    ) {
        condition = .predicate(predicate, mapping)
    }

    /// Creates a matcher of representations for which a closure returns a mapping.
    ///
    /// - Parameters:
    ///   - possible: The mappings that the closure returns; see
    ///     ``DynamicMapping/init(possible:selection:)``.
    ///   - selection: Chooses a mapping; nil if the matcher does not match.
    public init(
        possible: [ObjectMapping], selection: @escaping @Sendable (Node) -> ObjectMapping?
    ) {
        condition = .selection(possible, selection)
    }

    /// The path of the value that is compared; `nil` for a closure.
    var path: SourcePath? {
        switch condition {
        case .values(let path, _), .kind(let path, _, _): path
        case .predicate, .selection: nil
        }
    }

    /// The mappings that the matcher may choose.
    public var possibleMappings: [ObjectMapping] {
        switch condition {
        case .values(_, let cases): cases.map(\.mapping)
        case .kind(_, _, let mapping), .predicate(_, let mapping): [mapping]
        case .selection(let mappings, _): mappings
        }
    }

    /// Returns a Boolean value that indicates whether two matchers are copies of one.
    public static func == (left: MappingMatcher, right: MappingMatcher) -> Bool {
        left.identity === right.identity
    }
}
