// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A mapping that is chosen for each representation by its content.
///
/// Matchers are tried in order and the first match wins; if none matches, the selection closure
/// chooses. A representation without a chosen mapping is skipped without an issue: it is left out
/// of its list, or its property keeps its value.
///
///     var people = DynamicMapping()
///     people.add(.init(at: "type", equals: "Girl", mapping: girl))
///     people.add(.init(at: "type", equals: "Boy", mapping: boy))
public struct DynamicMapping: Sendable, Equatable {
    /// The matchers, in the order in which they are tried.
    public private(set) var matchers: [MappingMatcher]
    /// A Boolean value that indicates whether an object represents the list of its members, each an
    /// object with one key.
    public var forcesCollection = false
    let selection: (@Sendable (Node) -> ObjectMapping?)?
    let selectable: [ObjectMapping]
    private let identity = ReferenceIdentity()

    /// Creates a dynamic mapping with matchers.
    public init(_ matchers: [MappingMatcher] = []) {
        self.matchers = matchers
        selection = nil
        selectable = []
    }

    /// Creates a dynamic mapping with a closure that chooses after all matchers.
    ///
    /// - Parameters:
    ///   - possible: The mappings that the closure returns, which are compiled with the plan. A
    ///     mapping that is not among them is compiled when it is first returned; its diagnostics
    ///     then become an issue.
    ///   - selection: Chooses a mapping for a representation; nil skips the representation.
    public init(
        possible: [ObjectMapping] = [], selection: @escaping @Sendable (Node) -> ObjectMapping?
    ) {
        matchers = []
        self.selection = selection
        selectable = possible
    }

    /// Adds a matcher at the end, or moves one that is present to the front.
    public mutating func add(_ matcher: MappingMatcher) {
        if matchers.contains(matcher) {
            matchers.removeAll { $0 == matcher }
            matchers.insert(matcher, at: 0)
        } else {
            matchers.append(matcher)
        }
    }

    /// Removes a matcher.
    public mutating func remove(_ matcher: MappingMatcher) {
        matchers.removeAll { $0 == matcher }
    }

    /// The mappings that may be chosen, without duplicates, in the order of their declaration.
    public var possibleMappings: [ObjectMapping] {
        var mappings: [ObjectMapping] = []
        for mapping in matchers.flatMap(\.possibleMappings) + selectable
        where !mappings.contains(mapping) {
            mappings.append(mapping)
        }
        return mappings
    }

    /// Returns a Boolean value that indicates whether one mapping is a copy of the other with the
    /// same matchers.
    public static func == (left: DynamicMapping, right: DynamicMapping) -> Bool {
        left.identity === right.identity && left.matchers == right.matchers
    }
}
