// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension MappingPlan {
    /// Maps one representation to an object.
    ///
    /// - Parameters:
    ///   - type: The type the plan was compiled for.
    ///   - node: An object.
    ///   - environment: Metadata and an observer, if there are any.
    ///   - report: Receives what was met, also when the run ends with an error.
    /// - Returns: The object.
    /// - Throws: ``MappingError`` when the object cannot be built and the policy is to fail, or
    ///   when the policy is to drop it, as then there is nothing to return.
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

    /// Maps one representation into an object that is already there.
    ///
    /// Properties the representation does not name keep their values, and so do those whose value
    /// is equal to the one they have. A class fills that very instance; a failed run leaves it as it
    /// was.
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
    /// - Returns: Empty for an empty list and for null.
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

    /// Maps one representation to an object, where nobody asks what was met.
    ///
    /// - Throws: ``MappingError`` when the object cannot be built.
    @inlinable
    public func object<Subject: Mapped>(
        _ type: Subject.Type, from node: Node
    ) throws(MappingError) -> Subject {
        var report = MappingReport()
        return try object(type, from: node, report: &report)
    }

    /// Maps one representation into an object that is there already, where nobody asks what was met.
    ///
    /// - Throws: ``MappingError`` when the object cannot be filled.
    @inlinable
    public func object<Subject: Mapped>(
        updating subject: Subject, from node: Node
    ) throws(MappingError) -> Subject {
        var report = MappingReport()
        return try object(updating: subject, from: node, report: &report)
    }

    /// Maps a list of representations, or a single one, where nobody asks what was met.
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

    /// Maps a list of representations, or a single one, to objects of the types the plan is for.
    ///
    /// For callers that know the type only at run time; the objects themselves are built by code
    /// compiled for the type. They are ``Mapped`` objects, or of a type that decodes itself.
    public func anyObjects(
        from node: Node, in environment: MappingEnvironment? = nil, report: inout MappingReport
    ) throws(MappingError) -> [Any] {
        if rules[root].selector == nil, rules[root].codable == nil {
            guard let subject = table.subject else { throw wrongSubject }
            return try run(node, in: environment, report: &report) {
                source throws(MappingFailure) in
                try subject.mapErased(source)
            }
        }
        return try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            var objects: [Any] = []
            try source.forEachObject { element throws(MappingFailure) in
                do throws(MappingFailure) {
                    objects.append(try element.mapChosen())
                } catch {
                    try element.leaveOut(error, isObject: true)
                }
            }
            return objects
        }
    }

    /// Maps one representation to an object of the type it is chosen to be.
    func anyObject(
        from node: Node, in environment: MappingEnvironment? = nil, report: inout MappingReport
    ) throws(MappingError) -> Any {
        try run(node, in: environment, report: &report) { source throws(MappingFailure) in
            try source.mapChosen()
        }
    }

    /// Maps one representation into an object that is already there, if it is of the type.
    func anyObject(
        updating target: any Mapped, from node: Node, in environment: MappingEnvironment? = nil,
        report: inout MappingReport
    ) throws(MappingError) -> Any {
        try run(node, in: environment, filling: true, report: &report) {
            source throws(MappingFailure) in
            try source.mapChosen(editing: target)
        }
    }

    /// Runs the plan for another kind of destination, such as rows of a store.
    ///
    /// - Parameters:
    ///   - node: The representation, of whatever kind.
    ///   - environment: Metadata and an observer, if there are any.
    ///   - filling: Whether what arrives is compared with what the destination has.
    ///   - report: Receives what was met.
    ///   - body: Is handed the value; what it throws is an error of the run.
    /// - Returns: What the body returned.
    /// - Throws: ``MappingError`` when the body threw.
    public func run<Result>(
        _ node: Node, in environment: MappingEnvironment? = nil, filling: Bool = false,
        report: inout MappingReport, _ body: (MappingSource) throws(MappingFailure) -> Result
    ) throws(MappingError) -> Result {
        let environment = environment ?? MappingEnvironment()
        let context = MappingContext(
            plan: self, node: node, environment: environment,
            recordLimit: max(report.issueLimit - report.issues.count, 1))
        var frame = MappingFrame(
            storage, context: context, allowance: environment.allowance(for: node),
            isWatched: filling || environment.observer != nil)
        frame.depth = environment.depth
        let result: Swift.Result<Result, MappingFailure> = unsafe withUnsafeMutablePointer(
            to: &frame
        ) { frame in
            do throws(MappingFailure) {
                let source = unsafe MappingSource(
                    node: node.storage.view(at: node.index), step: frame.pointee.steps + rootStep,
                    frame: frame)
                do throws(MappingFailure) {
                    let value = try body(source)
                    try context.writeAll()
                    return .success(value)
                } catch {
                    throw source.objectFailure(error)
                }
            } catch {
                return .failure(error)
            }
        }
        environment.meter?.allowance = frame.allowance
        report.objectCount += frame.objectCount
        let last = withExtendedLifetime((self, node)) { context.finish(into: &report) }
        switch result {
        case .success(let value): return value
        case .failure(let failure): throw context.error(of: failure, last)
        }
    }

    @usableFromInline
    func check(_ type: any Mapped.Type) throws(MappingError) {
        guard isDynamic || table.swiftType.map({ $0 == ObjectIdentifier(type) }) ?? true else {
            throw wrongSubject
        }
    }

    /// Makes sure that the plan fills objects of a type; one that decodes itself is never filled.
    @usableFromInline
    func checkFilling(_ type: any Mapped.Type) throws(MappingError) {
        try check(type)
        guard rules[root].codable == nil else { throw wrongSubject }
    }

    @usableFromInline
    func check(relation: Relation?) throws(MappingError) {
        guard !isDynamic, table.swiftType != nil, let relation else { return }
        guard relation.table.isSame(as: table) else { throw wrongSubject }
    }

    private var wrongSubject: MappingError { MappingError(.wrongSubject, mapping: table.name) }
}

extension MappingContext {
    /// The error of a run that ended, with the issue that ended it.
    fileprivate func error(of failure: MappingFailure, _ last: MappingIssue?) -> MappingError {
        if let adoptedError { return adoptedError }
        let name = plan.table.name
        switch failure.code {
        case .undetermined: return MappingError(.undeterminedMapping, mapping: name)
        case .validationFailed:
            return MappingError(
                .validationFailed, mapping: name, issue: last, underlying: underlying)
        case .wrongSubject: return MappingError(.wrongSubject, mapping: name, issue: last)
        default: return MappingError(.invalidObject, mapping: name, issue: last)
        }
    }
}

extension MappingSource {
    /// Calls a closure with every object of a list, or with the one object that is there instead.
    func forEachObject(
        _ body: (MappingSource) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        if isForcedCollection { return try forEachEntry(body) }
        switch node.kind {
        case .null: return
        case .array:
            var index = node.index + 1
            while index < node.contentEnd {
                try body(at(index))
                index = node.at(index).nextIndex
            }
        default: try body(self)
        }
    }
}
