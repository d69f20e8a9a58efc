// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The state of a run that is off the hot path: issues, lookups, values of parents, deferred writes.
///
/// Counters that every value needs are in the ``ExecutionState``.
///
/// Not Sendable: lives on the stack of one run.
@usableFromInline
final class ExecutionContext {
    let plan: MappingPlan
    /// The value that the run began with.
    private let root: Node
    let environment: MappingEnvironment
    var issues: IssueRecorder
    var parentValues = ParentValues()
    /// Created when it is first needed: plain runs look nothing up.
    private var createdResolver: SourceResolver?
    private var deferredWrites: [() throws(MappingFailure) -> Void] = []
    private var chosenPlans: [(mapping: MappingSelector.UncompiledMapping, plan: MappingPlan)] = []

    init(plan: MappingPlan, node: Node, environment: MappingEnvironment, issueLimit: Int) {
        self.plan = plan
        root = node
        self.environment = environment
        issues = IssueRecorder(limit: issueLimit)
    }

    /// The storage of the run's own document.
    var storage: DocumentStorage { root.storage }

    /// Defers a change of an instance that others may see until the whole run has succeeded.
    func deferWrite(_ write: @escaping () throws(MappingFailure) -> Void) {
        deferredWrites.append(write)
    }

    func performDeferredWrites() throws(MappingFailure) {
        for write in deferredWrites { try write() }
    }

    /// Returns the plan of a mapping that a closure returned for a representation, compiled once in a
    /// run.
    func plan(
        of mapping: MappingSelector.UncompiledMapping
    ) throws(MappingError) -> MappingPlan {
        if let known = chosenPlans.first(where: { $0.mapping == mapping }) { return known.plan }
        let plan = try mapping.compile()
        chosenPlans.append((mapping, plan))
        return plan
    }

    /// Records a failure at a value as an issue.
    func record(
        _ failure: MappingFailure, at source: ValueSource, mapping: Int, property: Int
    ) {
        let view = failure.node >= 0 ? source.view.at(failure.node) : source.view
        issues.record(
            IssueRecorder.Record(
                location: location(of: view), mapping: mapping, property: property,
                code: failure.code, expected: failure.expected, found: NodeKind(view.kind)))
    }
}

// MARK: - Lookups

extension ExecutionContext {
    var resolver: SourceResolver {
        if let createdResolver { return createdResolver }
        let resolver = SourceResolver(root, environment)
        createdResolver = resolver
        return resolver
    }

    /// Returns a value with its document.
    func node(at view: NodeView) -> Node {
        if view.isOf(storage) { return Node(storage: storage, index: view.index) }
        return resolver.node(at: view)
    }

    /// Returns the index in the run's own document of a value, or of the value it was looked up for.
    func location(of view: NodeView) -> Int {
        view.isOf(storage) ? view.index : resolver.location(of: view)
    }

    /// Returns a Boolean value that indicates whether a value is the key of a single-member object.
    func isMemberKey(_ view: NodeView) -> Bool { createdResolver?.isMemberKey(view) ?? false }

    /// The number of nesting keys around the current object.
    var nestingKeyCount: Int { createdResolver?.nestingKeys.count ?? 0 }

    func removeNestingKeys(after count: Int) {
        guard let createdResolver else { return }
        while createdResolver.nestingKeys.count > count {
            createdResolver.nestingKeys.removeLast()
        }
    }
}
