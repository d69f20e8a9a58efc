// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension MappingPlan {
    /// Maps one representation to an object.
    ///
    /// - Parameters:
    ///   - type: The type the plan was compiled for.
    ///   - node: An object.
    ///   - environment: Metadata and an observer, if there are any.
    ///   - report: Receives issues and counts, also when the run ends with an error.
    /// - Returns: The object.
    /// - Throws: ``MappingError`` when the object cannot be built, whether the policy is to fail or to
    ///   drop it: then there is no object to return.
    /// - Complexity: O(*n*) in the number of values of the representation.
    @inlinable
    public func object<Subject: Mapped>(
        _ type: Subject.Type, from node: Node, in environment: MappingEnvironment? = nil,
        report: inout MappingReport
    ) throws(MappingError) -> Subject {
        try check(type)
        return try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            try Subject.map(from: source)
        }
    }

    /// Maps one representation into an existing object.
    ///
    /// Properties that the representation does not name keep their values, and so do those whose new
    /// value is equal to the current one. Of a class, the same instance is filled; a failed run leaves
    /// it unchanged.
    @inlinable
    public func object<Subject: Mapped>(
        updating subject: Subject, from node: Node, in environment: MappingEnvironment? = nil,
        report: inout MappingReport
    ) throws(MappingError) -> Subject {
        try checkFilling(Subject.self)
        return try run(node, in: environment, filling: true, report: &report) {
            source throws(MappingFailure) in
            try Subject.map(from: source, editing: subject)
        }
    }

    /// Maps a list of representations, or a single one, to objects in document order.
    ///
    /// - Returns: The objects; none for an empty list and for null.
    /// - Throws: ``MappingError`` when an object cannot be built and the policy is to fail.
    @inlinable
    public func objects<Subject: Mapped>(
        _ type: Subject.Type, from node: Node, in environment: MappingEnvironment? = nil,
        report: inout MappingReport
    ) throws(MappingError) -> [Subject] {
        try check(type)
        return try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            try Subject.mapAll(source)
        }
    }

    /// Maps one representation to an object, without a report.
    ///
    /// - Throws: ``MappingError`` when the object cannot be built.
    @inlinable
    public func object<Subject: Mapped>(
        _ type: Subject.Type, from node: Node
    ) throws(MappingError) -> Subject {
        var report = MappingReport()
        return try object(type, from: node, report: &report)
    }

    /// Maps one representation into an existing object, without a report.
    ///
    /// - Throws: ``MappingError`` when the object cannot be filled.
    @inlinable
    public func object<Subject: Mapped>(
        updating subject: Subject, from node: Node
    ) throws(MappingError) -> Subject {
        var report = MappingReport()
        return try object(updating: subject, from: node, report: &report)
    }

    /// Maps a list of representations, or a single one, without a report.
    ///
    /// - Throws: ``MappingError`` when an object cannot be built and the policy is to fail.
    @inlinable
    public func objects<Subject: Mapped>(
        _ type: Subject.Type, from node: Node
    ) throws(MappingError) -> [Subject] {
        var report = MappingReport()
        return try objects(type, from: node, report: &report)
    }

    /// Maps a representation to a value of any type: a mapped object, a list or a dictionary of
    /// them, a ``MappableCodable``, or plain values.
    ///
    /// - Returns: The value.
    /// - Throws: ``MappingError`` when the value does not fit, or when the plan is for objects of
    ///   another type.
    @inlinable
    public func value<Value: MappableValue>(
        _ type: Value.Type, from node: Node, in environment: MappingEnvironment? = nil,
        report: inout MappingReport
    ) throws(MappingError) -> Value {
        try check(relation: Value.relation)
        return try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            try Value.map(from: source)
        }
    }

    /// Maps a list of representations, or a single one, to objects of the plan's types.
    ///
    /// For callers that know the type only at run time; code compiled for the type builds the objects.
    /// They are ``Mapped`` objects, of a type that decodes itself, or imported managed objects.
    public func anyObjects(
        from node: Node, in environment: MappingEnvironment? = nil, report: inout MappingReport
    ) throws(MappingError) -> [Any] {
        if objectDetails[root].selector == nil, objectDetails[root].codable == nil {
            if let subject = table.subject {
                return try run(node, in: environment, report: &report) {
                    source throws(MappingFailure) in
                    try Self.objects(subject, from: source)
                }
            }
            guard environment?.importedObjects != nil else { throw wrongSubject }
        }
        return try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            var objects: [Any] = []
            try source.forEachObject { element throws(MappingFailure) in
                do throws(MappingFailure) {
                    objects.append(try MappingChooser(element).object())
                } catch {
                    try PolicyEvaluator(element).applyElementPolicy(to: error, isObject: true)
                }
            }
            return objects
        }
    }

    private static func objects<Subject: Mapped>(
        _ type: Subject.Type, from source: ValueSource
    ) throws(MappingFailure) -> [Any] {
        try Subject.mapAll(source)
    }

    /// Maps one representation to an object of the type that is chosen for it.
    func anyObject(
        from node: Node, in environment: MappingEnvironment? = nil, report: inout MappingReport
    ) throws(MappingError) -> Any {
        try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            try MappingChooser(source).object()
        }
    }

    /// Maps one representation into an existing object, if it is of the type that is chosen.
    func anyObject(
        updating target: any Mapped, from node: Node, in environment: MappingEnvironment? = nil,
        report: inout MappingReport
    ) throws(MappingError) -> Any {
        try run(node, in: environment, filling: true, report: &report) {
            source throws(MappingFailure) in
            try MappingChooser(source).object(filling: target)
        }
    }

    /// Runs the plan for another kind of destination, such as rows of a store.
    ///
    /// - Parameters:
    ///   - node: The representation, of any kind.
    ///   - environment: Metadata and an observer, if there are any.
    ///   - filling: Whether new values are compared with those of the destination.
    ///   - report: Receives issues and counts.
    ///   - body: Maps the value; a failure that it throws ends the run.
    /// - Returns: The result of the body.
    /// - Throws: ``MappingError`` when the body throws.
    public func run<Result>(
        _ node: Node, in environment: MappingEnvironment? = nil, filling: Bool = false,
        report: inout MappingReport, _ body: (ValueSource) throws(MappingFailure) -> Result
    ) throws(MappingError) -> Result {
        let environment = environment ?? MappingEnvironment()
        let context = ExecutionContext(
            plan: self, node: node, environment: environment,
            issueLimit: max(report.issueLimit - report.issues.count, 1))
        var state = ExecutionState(
            storage, context: context, nodeLimit: environment.nodeLimit(for: node),
            isObserved: filling || environment.observer != nil)
        state.depth = environment.depth
        let result: Swift.Result<Result, MappingFailure> = unsafe withUnsafeMutablePointer(
            to: &state
        ) { state in
            do throws(MappingFailure) {
                let source = unsafe ValueSource(
                    view: node.storage.view(at: node.index), step: state.pointee.steps + rootStep,
                    state: state)
                do throws(MappingFailure) {
                    let value = try body(source)
                    try context.performDeferredWrites()
                    return .success(value)
                } catch {
                    throw PolicyEvaluator(source).applyObjectPolicy(to: error)
                }
            } catch {
                return .failure(error)
            }
        }
        environment.budget?.remainingNodeCount = state.remainingNodeCount
        report.objectCount += state.objectCount
        let last = withExtendedLifetime((self, node)) {
            context.issues.finish(
                into: &report, plan: self, storage: node.storage, in: environment)
        }
        switch result {
        case .success(let value): return value
        case .failure(let failure): throw error(of: failure, last, context.issues)
        }
    }

    @usableFromInline
    func check(_ type: any Mapped.Type) throws(MappingError) {
        guard isDynamic || table.swiftType.map({ $0 == ObjectIdentifier(type) }) ?? true else {
            throw wrongSubject
        }
    }

    /// Verifies that the plan fills objects of a type; one that decodes itself is never filled.
    @usableFromInline
    func checkFilling(_ type: any Mapped.Type) throws(MappingError) {
        try check(type)
        guard objectDetails[root].codable == nil else { throw wrongSubject }
    }

    @usableFromInline
    func check(relation: Relation?) throws(MappingError) {
        guard !isDynamic, table.swiftType != nil, let relation else { return }
        guard relation.table.isSame(as: table) else { throw wrongSubject }
    }

    private var wrongSubject: MappingError { MappingError(.wrongSubject, mapping: table.name) }
}

extension MappingPlan {
    /// Returns the error of a run that failed, with the issue that ended it.
    fileprivate func error(
        of failure: MappingFailure, _ last: MappingIssue?, _ issues: IssueRecorder
    ) -> MappingError {
        if let nested = issues.nestedError { return nested }
        let name = table.name
        switch failure.code {
        case .undetermined: return MappingError(.undeterminedMapping, mapping: name)
        case .validationFailed:
            return MappingError(
                .validationFailed, mapping: name, issue: last,
                underlying: issues.underlyingError)
        case .wrongSubject: return MappingError(.wrongSubject, mapping: name, issue: last)
        default: return MappingError(.invalidObject, mapping: name, issue: last)
        }
    }
}
