// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Chooses the mapping of an object whose representation decides what it is, and builds the object.
struct MappingChooser {
    /// The mapping chosen for a representation.
    enum Choice {
        /// A source at the step to an object of the plan, and the type of that object.
        case source(ValueSource, ObjectIdentifier?)
        /// A mapping that was not compiled with the plan.
        indirect case plan(MappingPlan)
    }

    let source: ValueSource

    init(_ source: ValueSource) { self.source = source }

    /// A Boolean value that indicates whether the representation decides what the object is.
    var isDynamic: Bool {
        unsafe source.state.pointee.objects[Int(source.step.pointee.object)].traits
            .contains(.dynamic)
    }

    /// Chooses the mapping of the representation.
    ///
    /// - Throws: ``MappingFailure`` with the policy applied, so that lists and properties continue, if
    ///   no mapping is chosen.
    func choose() throws(MappingFailure) -> Choice {
        let context = source.context
        let details = context.plan.objectDetails
        guard let selector = unsafe details[Int(source.step.pointee.object)].selector else {
            return .source(source, source.table.subject.map { ObjectIdentifier($0) })
        }
        if selector.isFixed { return .source(candidateSource(0), selector.subjects[0]) }
        if selector.isByKind {
            return .source(candidateSource(source.isPlainValue ? 0 : 1), selector.subjects[0])
        }
        if source.view.kind == .object, let index = selector.lookup?.candidate(in: source.view) {
            return candidate(index, of: selector)
        }
        let representation = MappingSelector.Representation(source.documentNode, context.resolver)
        switch selector.choice(for: representation) {
        case .candidate(let index): return candidate(index, of: selector)
        case .uncompiled(let mapping):
            do {
                let plan = try context.plan(of: mapping)
                EventReporter(source).report(.selected)
                return .plan(plan)
            } catch {
                throw source.failure(.invalidMapping, "a valid mapping")
            }
        case nil:
            if source.isPlainValue { throw source.mismatch("an object") }
            context.issues.droppedObjectCount += 1
            throw source.failure(.undetermined, "a chosen mapping").advanced(to: .objectDropped)
        }
    }

    /// Returns the same value at the step to a candidate.
    private func candidateSource(_ index: Int) -> ValueSource {
        let first = source.stepDetail.firstCandidate
        let step = unsafe source.state.pointee.steps + first + index
        return unsafe ValueSource(view: source.view, step: step, state: source.state)
    }

    private func candidate(_ index: Int, of selector: MappingSelector) -> Choice {
        let chosen = candidateSource(index)
        EventReporter(chosen).report(.selected)
        return .source(chosen, selector.subjects[index])
    }

    /// Returns the same value at the step to the object that was chosen.
    ///
    /// - Throws: ``MappingFailure`` if no mapping was chosen, or one that was not compiled with the
    ///   plan.
    func chosenSource() throws(MappingFailure) -> ValueSource {
        guard isDynamic else { return source }
        guard case .source(let chosen, _) = try choose() else {
            throw source.failure(.invalidMapping, "a mapping among the possible ones")
        }
        return chosen
    }

    /// The representation, with its document.
    private var representation: Node { source.context.resolver.representation(source.documentNode) }

    // MARK: Objects

    /// Maps the representation to an object of the type that is declared or chosen.
    func object() throws(MappingFailure) -> Any {
        try object(of: try choose())
    }

    func object(of choice: Choice) throws(MappingFailure) -> Any {
        switch choice {
        case .source(let chosen, _):
            if let codable = chosen.codable { return try codable.object(from: chosen) }
            guard let type = chosen.table.subject else { return try source.importedObject() }
            return try Self.map(type, chosen)
        case .plan(let plan):
            return try run { environment, report throws(MappingError) in
                try plan.anyObject(from: representation, in: environment, report: &report)
            }
        }
    }

    /// Maps the representation into an existing object, if an object of its type is chosen.
    func object(filling target: any Mapped) throws(MappingFailure) -> Any {
        func fill<Target: Mapped>(_ target: Target) throws(MappingFailure) -> Any {
            switch try choose() {
            case .source(let chosen, _):
                guard chosen.table.subject.map({ $0 == type(of: target) }) == true else {
                    throw chosen.failure(.wrongSubject, "\(chosen.table.name)")
                }
                return try Target.map(from: chosen, editing: target)
            case .plan(let plan):
                return try run { environment, report throws(MappingError) in
                    try plan.object(
                        updating: target, from: representation, in: environment,
                        report: &report)
                }
            }
        }
        return try fill(target)
    }

    private static func map<Subject: Mapped>(
        _ type: Subject.Type, _ source: ValueSource
    ) throws(MappingFailure) -> Any {
        try Subject.map(from: source)
    }

    /// Runs another plan for the value and adds its report to this run.
    private func run(
        _ body: (MappingEnvironment, inout MappingReport) throws(MappingError) -> Any
    ) throws(MappingFailure) -> Any {
        let context = source.context
        var environment = context.environment
        environment.depth = unsafe source.state.pointee.depth
        let budget = unsafe VisitBudget(source.state.pointee.remainingNodeCount)
        environment.budget = budget
        defer { unsafe source.state.pointee.remainingNodeCount = budget.remainingNodeCount }
        var report = MappingReport(issueLimit: context.issues.limit)
        do throws(MappingError) {
            let object = try body(environment, &report)
            context.issues.add(report)
            return object
        } catch {
            context.issues.add(report, endedBy: error)
            throw source.failure(.invalidMapping, "an object").advanced(to: .ended)
        }
    }
}

// MARK: - Objects of a type

extension ValueSource {
    /// A Boolean value that indicates whether the object at the step is not walked as a new object of
    /// its own type: the representation chooses it, it decodes itself, or its type provides it.
    var isIndirect: Bool {
        precondition(
            unsafe step.pointee.object >= 0,
            "a type that maps a mapped object for a property declares it by its relation")
        return !objectTraits.isDisjoint(with: [.dynamic, .decoded, .provided])
    }

    fileprivate var objectTraits: ObjectTraits {
        unsafe state.pointee.objects[Int(step.pointee.object)].traits
    }
}

extension Mapped {
    /// Maps the representation to an object of this type or a subclass, as a dynamic mapping chooses,
    /// as the type decodes itself, or into an instance that the type provides.
    ///
    /// - Throws: ``MappingFailure`` for every other representation: it is not an object.
    @usableFromInline
    static func mapIndirectly(_ source: ValueSource) throws(MappingFailure) -> Self {
        guard source.isIndirect else { throw source.mismatch("an object") }
        if source.objectTraits.contains(.provided) { return try mapProvided(source) }
        let chooser = MappingChooser(source)
        if chooser.isDynamic, !source.isRepresentation { throw source.mismatch("an object") }
        let choice = try chooser.choose()
        if case .source(let source, let type?) = choice, type == ObjectIdentifier(self) {
            return try map(from: source)
        }
        return try object(of: choice, chooser)
    }

    /// Maps the representation into an instance of ``ObjectMappable/object()``, if there is one.
    private static func mapProvided(_ source: ValueSource) throws(MappingFailure) -> Self {
        guard source.isRepresentation else {
            throw source.mismatch("an object")
        }
        do throws(MappingFailure) {
            let provided = (self as? any ObjectMappable.Type)?.object() as? Self
            var draft = provided?.makeDraft() ?? makeDraft()
            try PlanExecutor(source).walk(into: &draft)
            let object = try finish(consume draft)
            source.countObject()
            return object
        } catch {
            throw PolicyEvaluator(source).applyObjectPolicy(to: error)
        }
    }

    /// Maps the representation to an object of another type than this one.
    private static func object(
        of choice: MappingChooser.Choice, _ chooser: MappingChooser
    ) throws(MappingFailure) -> Self {
        let object = try chooser.object(of: choice)
        guard let object = object as? Self else {
            let source = chooser.source
            throw PolicyEvaluator(source).applyObjectPolicy(
                to: source.failure(.typeMismatch, "\(Self.self)"))
        }
        return object
    }
}
