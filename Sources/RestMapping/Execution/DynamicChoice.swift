// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension MappingSource {
    /// Whether the object at the step is not walked as a mapping of its own type says.
    @inlinable @inline(__always)
    var isUnwalked: Bool {
        precondition(
            unsafe step.pointee.object >= 0,
            "a type that maps a mapped object for a property says so by its relation")
        let traits = unsafe frame.pointee.objects[Int(step.pointee.object)].traits
        return !traits.isDisjoint(with: [.dynamic, .decoded])
    }

    /// Whether the representation decides what the object is.
    @usableFromInline
    var isDynamic: Bool {
        unsafe frame.pointee.objects[Int(step.pointee.object)].traits.contains(.dynamic)
    }

    /// What the representation decided.
    @usableFromInline
    enum Chosen {
        /// The same value at the step to an object of the plan, and the type that is for.
        case source(MappingSource, ObjectIdentifier?)
        /// A plan of its own.
        indirect case plan(MappingPlan)
    }

    /// Chooses the mapping of the representation.
    ///
    /// - Throws: ``MappingFailure`` that is settled, so that lists and properties go on, if none is
    ///   chosen.
    @usableFromInline
    func choose() throws(MappingFailure) -> Chosen {
        let context = context
        guard let selector = unsafe context.plan.rules[Int(step.pointee.object)].selector else {
            return .source(self, table.subject.map { ObjectIdentifier($0) })
        }
        if let index = selector.lookup?.candidate(in: node) {
            return chosen(index, selector)
        }
        switch selector.choice(for: context.lookup.representation(element)) {
        case .candidate(let index): return chosen(index, selector)
        case .made(let mapping):
            do {
                let plan = try context.plan(of: mapping)
                watch(.selected)
                return .plan(plan)
            } catch {
                throw failure(.invalidMapping, "a mapping without mistakes")
            }
        case nil:
            context.droppedObjectCount += 1
            throw failure(.undetermined, "a chosen mapping").advanced(to: .objectDropped)
        }
    }

    private func chosen(_ index: Int, _ selector: MappingSelector) -> Chosen {
        let first = context.plan.details[stepIndex].firstCandidate
        let step = unsafe frame.pointee.steps + first + index
        let chosen = unsafe MappingSource(node: node, step: step, frame: frame)
        chosen.watch(.selected)
        return .source(chosen, selector.subjects[index])
    }

    /// The same value at the step to the object that was chosen, for destinations that are no
    /// typed objects; they learn from ``table`` what it is.
    ///
    /// - Throws: ``MappingFailure`` that is settled if no mapping was chosen, or one that was made
    ///   for the representation and not compiled with the plan.
    public func chosenSource() throws(MappingFailure) -> MappingSource {
        guard isDynamic else { return self }
        guard case .source(let source, _) = try choose() else {
            throw failure(.invalidMapping, "a mapping among the possible ones")
        }
        return source
    }

    /// The properties of the type or entity that the value is mapped to.
    public var table: PropertyTable { context.plan.tables[unsafe Int(step.pointee.object)] }

    /// Maps the representation to an object of the type it is for, or was chosen for.
    func mapChosen() throws(MappingFailure) -> Any {
        try make(try choose())
    }

    func make(_ chosen: Chosen) throws(MappingFailure) -> Any {
        switch chosen {
        case .source(let source, _):
            if let codable = source.codable { return try codable.object(from: source) }
            guard let type = source.table.subject else {
                throw failure(.typeMismatch, "a mapping for a type")
            }
            return try Self.map(type, source)
        case .plan(let plan):
            return try mapApart(plan) { environment, report throws(MappingError) in
                try plan.anyObject(from: element, in: environment, report: &report)
            }
        }
    }

    /// Maps the representation into an object that is already there, if it was chosen to be of
    /// its type.
    func mapChosen(editing target: any Mapped) throws(MappingFailure) -> Any {
        func fill<Target: Mapped>(_ target: Target) throws(MappingFailure) -> Any {
            switch try choose() {
            case .source(let source, _):
                guard source.table.subject.map({ $0 == type(of: target) }) == true else {
                    throw source.failure(.wrongSubject, "\(source.table.name)")
                }
                return try Target.map(from: source, editing: target)
            case .plan(let plan):
                return try mapApart(plan) { environment, report throws(MappingError) in
                    try plan.object(
                        updating: target, from: element, in: environment, report: &report)
                }
            }
        }
        return try fill(target)
    }

    private static func map<Subject: Mapped>(
        _ type: Subject.Type, _ source: MappingSource
    ) throws(MappingFailure) -> Any {
        try Subject.map(from: source)
    }

    /// Runs another plan for the value; what it met is met by this run.
    private func mapApart(
        _ plan: MappingPlan,
        _ body: (MappingEnvironment, inout MappingReport) throws(MappingError) -> Any
    ) throws(MappingFailure) -> Any {
        let context = context
        var environment = context.environment
        environment.depth = unsafe frame.pointee.depth
        let meter = unsafe PassMeter(allowance: frame.pointee.allowance)
        environment.meter = meter
        defer { unsafe frame.pointee.allowance = meter.allowance }
        var report = MappingReport(issueLimit: context.recordLimit)
        do throws(MappingError) {
            let object = try body(environment, &report)
            context.adopt(report)
            return object
        } catch {
            context.adopt(report, ending: error)
            throw failure(.invalidMapping, "an object").advanced(to: .ended)
        }
    }
}

extension Mapped {
    /// Maps the representation to an object of this type or one that inherits from it, as a
    /// dynamic mapping chooses or as the type decodes itself.
    @inlinable
    static func mapUnwalked(_ source: MappingSource) throws(MappingFailure) -> Self {
        if source.isDynamic, source.node.kind != .object, !source.isEntry {
            throw source.mismatch("an object")
        }
        let chosen = try source.choose()
        if case .source(let source, let type?) = chosen, type == ObjectIdentifier(self) {
            return try map(from: source)
        }
        return try mapChosen(chosen, source)
    }

    /// Maps the representation to an object of another type than this one.
    @usableFromInline
    static func mapChosen(
        _ chosen: MappingSource.Chosen, _ source: MappingSource
    ) throws(MappingFailure) -> Self {
        let object = try source.make(chosen)
        guard let object = object as? Self else {
            throw source.objectFailure(source.failure(.typeMismatch, "\(Self.self)"))
        }
        return object
    }
}
