// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A compiled mapping: flat arrays of keys and steps, and nothing to look up by name.
///
/// Running a plan walks each object of the document once, in the document's order. Attributes whose
/// source passes an array position, or is the object itself, come after all others.
public struct MappingPlan: Sendable {
    struct Path: Sendable {
        let components: [DocumentPath.Component]
        let step: Int

        func lookup(from node: NodeView) -> NodeView? {
            var node = node
            for component in components {
                switch component {
                case .key(let key):
                    guard let value = node.member(key) else { return nil }
                    node = value
                case .index(let position):
                    guard let value = element(position, of: node) else { return nil }
                    node = value
                }
            }
            return node
        }

        private func element(_ position: Int, of node: NodeView) -> NodeView? {
            guard node.kind == .array, 0..<node.count ~= position else { return nil }
            var index = node.index + 1
            for _ in 0..<position { index = node.at(index).nextIndex }
            return node.at(index)
        }
    }

    let storage: PlanStorage
    let tables: [PropertyTable]
    /// How values are converted, by mapping as the tables are.
    let conversions: [ValueConversion]
    let keyNames: [String]
    let paths: [Path]
    let transforms: [any ErasedTransform]
    let rootStep: PlanStep
    let objectCount: Int

    /// Compiles the default mapping of a type.
    ///
    /// - Throws: ``MappingError`` with all mistakes at once.
    public init<Subject: MappingSubject>(_ subject: Subject.Type) throws(MappingError) {
        self = try MappingCompiler().compile(ObjectMapping(for: subject))
    }

    init(
        storage: PlanStorage, tables: [PropertyTable], conversions: [ValueConversion],
        keyNames: [String], paths: [Path], transforms: [any ErasedTransform], rootStep: PlanStep,
        objectCount: Int
    ) {
        self.storage = storage
        self.tables = tables
        self.conversions = conversions
        self.keyNames = keyNames
        self.paths = paths
        self.transforms = transforms
        self.rootStep = rootStep
        self.objectCount = objectCount
    }

    /// The properties of the type or entity the plan builds.
    public var table: PropertyTable { tables[0] }
}

// MARK: - Running

extension MappingPlan {
    /// Maps one representation to an object.
    ///
    /// - Parameters:
    ///   - type: The type the plan was compiled for.
    ///   - node: An object.
    ///   - report: Receives what was met, also when the run ends with an error.
    /// - Returns: The object.
    /// - Throws: ``MappingError`` when the object cannot be built and the policy is to fail, or
    ///   when the policy is to drop it, as then there is nothing to return.
    /// - Complexity: O(*n*) in the number of values of the representation.
    @inlinable
    public func object<Subject: Mapped>(
        _ type: Subject.Type, from node: Node, report: inout MappingReport
    ) throws(MappingError) -> Subject {
        try check(type)
        return try run(node, report: &report) { source throws(MappingFailure) in
            try Subject.map(from: source)
        }
    }

    /// Maps one representation into an object that is already there.
    ///
    /// Properties the representation does not name keep their values. A class fills that very
    /// instance; a failed run leaves it as it was.
    @inlinable
    public func object<Subject: Mapped>(
        updating subject: Subject, from node: Node, report: inout MappingReport
    ) throws(MappingError) -> Subject {
        try check(Subject.self)
        return try run(node, report: &report) { source throws(MappingFailure) in
            try Subject.map(from: source, editing: subject)
        }
    }

    /// Maps a list of representations, or a single one, to objects in document order.
    ///
    /// - Returns: Empty for an empty list and for null.
    /// - Throws: ``MappingError`` when an object cannot be built and the policy is to fail.
    @inlinable
    public func objects<Subject: Mapped>(
        _ type: Subject.Type, from node: Node, report: inout MappingReport
    ) throws(MappingError) -> [Subject] {
        try check(type)
        return try run(node, report: &report) { source throws(MappingFailure) in
            try Subject.mapAll(source)
        }
    }

    /// Maps a list of representations, or a single one, to objects of the type the plan is for.
    ///
    /// For callers that know the type only at run time; the objects themselves are built by code
    /// compiled for the type.
    public func anyObjects(
        from node: Node, report: inout MappingReport
    ) throws(MappingError) -> [any Mapped] {
        guard let subject = table.subject else {
            throw MappingError(.wrongSubject, mapping: table.name)
        }
        return try run(node, report: &report) { source throws(MappingFailure) in
            try subject.mapErased(source)
        }
    }

    /// Runs the plan for another kind of destination, such as rows of a store.
    ///
    /// - Parameters:
    ///   - node: The representation, of whatever kind.
    ///   - report: Receives what was met.
    ///   - body: Is handed the value; what it throws is an error of the run.
    /// - Returns: What the body returned.
    /// - Throws: ``MappingError`` when the body threw.
    public func run<Result>(
        _ node: Node, report: inout MappingReport,
        _ body: (MappingSource) throws(MappingFailure) -> Result
    ) throws(MappingError) -> Result {
        let context = MappingContext(
            plan: self, storage: node.storage,
            recordLimit: max(report.issueLimit - report.issues.count, 1))
        var frame = MappingFrame(storage, context: context)
        let result: Swift.Result<Result, MappingFailure> = unsafe withUnsafeMutablePointer(
            to: &frame
        ) { frame in
            unsafe withUnsafePointer(to: rootStep) { step in
                do throws(MappingFailure) {
                    let source = unsafe MappingSource(
                        node: node.storage.view(at: node.index), step: step, frame: frame)
                    do throws(MappingFailure) {
                        return .success(try body(source))
                    } catch {
                        throw source.objectFailure(error)
                    }
                } catch {
                    return .failure(error)
                }
            }
        }
        report.objectCount += frame.objectCount
        let last = withExtendedLifetime((self, node)) { context.finish(into: &report) }
        switch result {
        case .success(let value): return value
        case .failure: throw MappingError(.invalidObject, mapping: table.name, issue: last)
        }
    }

    @usableFromInline
    func check(_ type: any Mapped.Type) throws(MappingError) {
        guard table.subject == nil || table.subject.map({ $0 == type }) == true else {
            throw MappingError(.wrongSubject, mapping: table.name)
        }
    }
}
