// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Chooses a mapping for each representation, as its content decides.
///
/// Matchers are tried in their order and the first that matches decides; if none does, the
/// selection is asked. A representation that nothing chooses a mapping for is declined: it is left
/// out of its list, or its property keeps what it has, and nothing is wrong.
///
///     var people = DynamicMapping()
///     people.add(.init(at: "type", equals: "Girl", mapping: girl))
///     people.add(.init(at: "type", equals: "Boy", mapping: boy))
public struct DynamicMapping: Sendable, Equatable {
    /// The matchers, first tried first.
    public private(set) var matchers: [MappingMatcher]
    /// Whether an object stands for the list of its members, each an object with one key.
    public var forcesCollection = false
    let selection: (@Sendable (Node) -> ObjectMapping?)?
    let selectable: [ObjectMapping]
    private let identity = MatcherIdentity()

    /// Makes a dynamic mapping of matchers.
    public init(_ matchers: [MappingMatcher] = []) {
        self.matchers = matchers
        selection = nil
        selectable = []
    }

    /// Makes a dynamic mapping that asks a closure, after its matchers.
    ///
    /// - Parameters:
    ///   - possible: The mappings it returns, which are compiled with the plan. One that is not
    ///     among them is compiled when it is first returned, and mistakes in it are issues.
    ///   - selection: Chooses a mapping for a representation; nil declines it.
    public init(
        possible: [ObjectMapping] = [], selection: @escaping @Sendable (Node) -> ObjectMapping?
    ) {
        matchers = []
        self.selection = selection
        selectable = possible
    }

    /// Adds a matcher at the end; one that is there already moves to the front.
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

    /// The mappings that may be chosen, each once, in the order they are declared.
    public var possibleMappings: [ObjectMapping] {
        var mappings: [ObjectMapping] = []
        for mapping in matchers.flatMap(\.possibleMappings) + selectable
        where !mappings.contains(mapping) {
            mappings.append(mapping)
        }
        return mappings
    }

    /// A dynamic mapping is equal to its copies that have the same matchers.
    public static func == (left: DynamicMapping, right: DynamicMapping) -> Bool {
        left.identity === right.identity && left.matchers == right.matchers
    }
}

/// What tells two closures apart that look the same.
final class MatcherIdentity: Sendable {}
