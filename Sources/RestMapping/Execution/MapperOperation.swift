// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Maps the parts of a document, each found at a key path of its own.
///
///     let operation = try MapperOperation(["products": .object(product), "pages": .object(page)])
///     let result = try operation.run(document.root)
///
/// Key paths are visited in the order they are given, and each may be any ``SourcePath``; the empty
/// one is the whole document. What is not there is not an error unless nothing is.
public struct MapperOperation: Sendable {
    private struct Part: Sendable {
        let keyPath: SourcePath
        let plan: MappingPlan

        /// What is there; nil for nothing, for null, for a list of nothing but nulls and for an
        /// empty document.
        func value(in document: Node, _ environment: MappingEnvironment?) -> Node? {
            var found: Node? = document
            if keyPath.components.isEmpty {
                if document.kind == .object, document.count == 0 { return nil }
            } else {
                let context = MappingContext(
                    plan: plan, node: document, environment: environment ?? MappingEnvironment(),
                    recordLimit: 0)
                found = context.lookup.value(at: keyPath, of: document)
            }
            guard let found, !found.isNull else { return nil }
            let isNothing =
                found.kind == .array && found.count > 0
                && found.elements.allSatisfy(\.isNull)
            return isNothing ? nil : found
        }
    }

    private let parts: [Part]

    /// Compiles mappings by the key paths their representations are found at.
    ///
    /// - Throws: ``MappingError`` with all mistakes of the first mapping that is wrong.
    public init(
        _ mappings: KeyValuePairs<SourcePath, Mapping>, compiler: MappingCompiler = .init()
    ) throws(MappingError) {
        var parts: [Part] = []
        for (keyPath, mapping) in mappings {
            parts.append(Part(keyPath: keyPath, plan: try compiler.compile(mapping)))
        }
        self.parts = parts
    }

    /// Maps what is found in a document.
    ///
    /// Nulls in a list are passed over. The task's cancellation is looked at between objects.
    ///
    /// - Parameters:
    ///   - document: The representation.
    ///   - target: Is filled instead of a new object; not with a list, which has new objects
    ///     whatever the target.
    ///   - environment: Metadata, and an observer of the objects.
    ///   - observer: Is told how the operation goes on.
    ///   - collectsInfo: Whether ``MappingResult/info`` says what was assigned; slower.
    /// - Returns: The objects by key path, empty for an empty document.
    /// - Throws: ``MappingError``: `notFound` with the key paths searched and the keys present,
    ///   `wrongSubject` for a target of another type if there is one key path, with several a new
    ///   object is made; `undeterminedMapping` for a target that no mapping was chosen for;
    ///   `cancelled`, or what ended the run of a mapping. Then there are no objects at all.
    public func run(
        _ document: Node, target: (any Mapped)? = nil, in environment: MappingEnvironment? = nil,
        observer: (any MapperObserver)? = nil, collectsInfo: Bool = false
    ) throws(MappingError) -> MappingResult {
        observer?.observe(.started)
        do throws(MappingError) {
            var run = MapperRun(
                environment: environment ?? MappingEnvironment(), observer: observer,
                collectsInfo: collectsInfo)
            for part in parts {
                guard let node = part.value(in: document, environment) else {
                    observer?.observe(.notFound(part.keyPath))
                    continue
                }
                observer?.observe(.found(part.keyPath, node))
                try run.map(
                    node, of: document, at: part.keyPath, with: part.plan,
                    target: node.kind == .array ? nil : fitting(target, part.plan))
            }
            let isEmpty = document.kind == .object && document.count == 0
            guard !run.sections.isEmpty || isEmpty && !parts.isEmpty else {
                throw notFound(in: document)
            }
            let result = MappingResult(run.sections, report: run.report)
            observer?.observe(.finished(.success(result)))
            return result
        } catch {
            // Without a target, nothing chosen for a single object means that nothing was found.
            let isNothing = target == nil && error.code == .undeterminedMapping
            let error = isNothing ? notFound(in: document) : error
            observer?.observe(
                error.code == .cancelled ? .cancelled : .finished(.failure(error)))
            throw error
        }
    }

    /// The target, unless there are several key paths and it is of no type this one leads to.
    private func fitting(_ target: (any Mapped)?, _ plan: MappingPlan) -> (any Mapped)? {
        guard let target, parts.count > 1, !plan.isDynamic else { return target }
        return plan.table.subject.map { $0 == type(of: target) } == true ? target : nil
    }

    private func notFound(in document: Node) -> MappingError {
        let searched = parts.map { "'\($0.keyPath)'" }.sorted()
        var details = [
            searched.isEmpty
                ? "no mapping was given" : "searched at \(searched.joined(separator: ", "))"
        ]
        if document.kind == .object {
            let keys = document.members.map { "'\(DocumentPath([.key($0.key)]).abbreviated)'" }
            let shown = keys.sorted().prefix(20).joined(separator: ", ")
            details.append("present are \(shown)\(keys.count > 20 ? "…" : "")")
        }
        details.append("the mapping may be for another document, or the key path wrong")
        return MappingError(
            .notFound, mapping: parts.first?.plan.table.name ?? "", details: details)
    }
}

/// What a mapper operation has found so far.
private struct MapperRun {
    let environment: MappingEnvironment
    let observer: (any MapperObserver)?
    let collectsInfo: Bool
    var sections: [MappingResult.Section] = []
    var report = MappingReport()

    init(
        environment: MappingEnvironment, observer: (any MapperObserver)?, collectsInfo: Bool
    ) {
        self.environment = environment
        self.observer = observer
        self.collectsInfo = collectsInfo
    }

    mutating func map(
        _ node: Node, of document: Node, at keyPath: SourcePath, with plan: MappingPlan,
        target: (any Mapped)?
    ) throws(MappingError) {
        var environment = environment
        environment.rootKeyPath = keyPath
        if node.storage !== document.storage {
            environment.collectedAt = DocumentPath(keyPath.components.map(\.place))
        }
        let recorder = collectsInfo ? MappingInfoRecorder() : nil
        if let recorder {
            environment.observer = ObserverPair(recorder, environment.observer)
        }
        let observer = observer
        var isCancelled = false
        var objects: [Any] = []
        try plan.run(node, in: environment, filling: target != nil, report: &report) {
            source throws(MappingFailure) in
            let isList = node.kind == .array || source.isForcedCollection
            try source.forEachObject { element throws(MappingFailure) in
                if element.node.kind == .null || isCancelled { return }
                isCancelled = Task.isCancelled
                if isCancelled { return }
                observer?.observe(.objectBegan(keyPath))
                do throws(MappingFailure) {
                    let object: Any
                    if let target {
                        object = try element.mapChosen(editing: target)
                    } else {
                        object = try element.mapChosen()
                    }
                    objects.append(object)
                    observer?.observe(.objectFinished(keyPath, object))
                } catch {
                    observer?.observe(.objectFailed(keyPath, error.code))
                    if !isList, error.code == .undetermined {
                        throw error
                    }
                    try element.leaveOut(error, isObject: true)
                }
            }
        }
        if isCancelled { throw MappingError(.cancelled, mapping: plan.table.name) }
        sections.append(
            MappingResult.Section(
                keyPath: keyPath, objects: objects, info: recorder?.infos ?? []))
    }
}

/// Tells two observers of the same events; the second may refuse changes.
private final class ObserverPair: MappingObserver {
    private let first: any MappingObserver
    private let second: (any MappingObserver)?

    init(_ first: any MappingObserver, _ second: (any MappingObserver)?) {
        self.first = first
        self.second = second
    }

    func observe(_ event: MappingEvent) {
        first.observe(event)
        second?.observe(event)
    }

    func shouldSet(_ value: Any, for event: MappingEvent) -> Bool {
        second?.shouldSet(value, for: event) ?? true
    }
}

extension SourcePath.Component {
    /// What paths of issues call the step.
    fileprivate var place: DocumentPath.Component {
        switch self {
        case .key(let key): .key(key)
        case .index(let index): .index(index)
        case .placeholder, .metadata, .root, .parent, .collected: .key(text)
        }
    }
}
