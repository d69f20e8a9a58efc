// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// An operation that maps the parts of a document, each at a key path of its own.
///
///     let operation = try MapperOperation(["products": .object(product), "pages": .object(page)])
///     let result = try operation.run(document.root)
///
/// Key paths are visited in their order, and each may be any ``SourcePath``; the empty one is the whole
/// document. A missing representation is an error only if all are missing; null is an empty list.
public struct MapperOperation: Sendable {
    private struct Part: Sendable {
        let keyPath: SourcePath
        let plan: MappingPlan

        /// Returns the representation; `nil` if there is none, and for an empty document.
        func representation(in document: Node, _ environment: MappingEnvironment) -> Node? {
            if keyPath.components.isEmpty, document.kind == .object, document.count == 0 {
                return nil
            }
            return document.value(at: keyPath, in: environment)
        }
    }

    private let parts: [Part]

    /// Creates an operation from mappings by the key paths of their representations.
    ///
    /// - Throws: ``MappingError`` with all diagnostics of the first invalid mapping.
    public init(
        _ mappings: KeyValuePairs<SourcePath, Mapping>, compiler: MappingCompiler = .init()
    ) throws(MappingError) {
        var parts: [Part] = []
        for (keyPath, mapping) in mappings {
            parts.append(Part(keyPath: keyPath, plan: try compiler.compile(mapping)))
        }
        self.parts = parts
    }

    /// Maps the representations in a document.
    ///
    /// A null element of a list is an issue and left out. Cancellation of the task is checked between objects.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - target: The object to fill instead of creating one. A list always creates objects.
    ///   - environment: Metadata, and an observer of the objects.
    ///   - observer: The observer of the operation's progress.
    ///   - collectsInfo: Whether ``MappingResult/info`` lists the assigned properties; slower.
    /// - Returns: The objects by key path; none for an empty document.
    /// - Throws: ``MappingError`` with one of these codes, and then no objects: `notFound`, with the key
    ///   paths searched and the keys present; `wrongSubject` for a target of another type if there is
    ///   one key path (with several, an object is created instead); `undeterminedMapping` for a target
    ///   that no mapping was chosen for; `cancelled`; or the error that ended the run of a mapping.
    public func run(
        _ document: Node, target: (any Mapped)? = nil, in environment: MappingEnvironment? = nil,
        observer: (any MapperObserver)? = nil, collectsInfo: Bool = false
    ) throws(MappingError) -> MappingResult {
        let environment = environment ?? MappingEnvironment()
        observer?.observe(.started)
        do throws(MappingError) {
            var run = MapperRun(
                environment: environment, observer: observer, collectsInfo: collectsInfo)
            for part in parts {
                guard let node = part.representation(in: document, environment) else {
                    observer?.observe(.notFound(part.keyPath))
                    continue
                }
                observer?.observe(.found(part.keyPath, node))
                try run.map(
                    node, of: document, at: part.keyPath, with: part.plan,
                    target: node.kind == .array || node.isNull
                        ? nil : compatible(target, with: part.plan))
            }
            let isEmpty = document.kind == .object && document.count == 0
            guard !run.sections.isEmpty || isEmpty && !parts.isEmpty else {
                throw notFound(in: document)
            }
            let result = MappingResult(run.sections, report: run.report)
            observer?.observe(.finished(.success(result)))
            return result
        } catch {
            // Without a target, no mapping chosen for a single object means that nothing was found.
            let isNotFound = target == nil && error.code == .undeterminedMapping
            let error = isNotFound ? notFound(in: document) : error
            observer?.observe(
                error.code == .cancelled ? .cancelled : .finished(.failure(error)))
            throw error
        }
    }

    /// Returns the target, unless there are several key paths and it is of another type than the plan's.
    private func compatible(
        _ target: (any Mapped)?, with plan: MappingPlan
    ) -> (any Mapped)? {
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

/// The results of a mapper operation so far.
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
            environment.collectedAt = DocumentPath(keyPath.components.map(\.issueComponent))
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
                if isCancelled { return }
                isCancelled = Task.isCancelled
                if isCancelled { return }
                observer?.observe(.objectBegan(keyPath))
                do throws(MappingFailure) {
                    let object: Any
                    if let target {
                        object = try MappingChooser(element).object(filling: target)
                    } else {
                        object = try MappingChooser(element).object()
                    }
                    objects.append(object)
                    observer?.observe(.objectFinished(keyPath, object))
                } catch {
                    observer?.observe(.objectFailed(keyPath, error.code))
                    if !isList, error.code == .undetermined {
                        throw error
                    }
                    try PolicyEvaluator(element).applyElementPolicy(to: error, isObject: true)
                }
            }
        }
        if isCancelled { throw MappingError(.cancelled, mapping: plan.table.name) }
        sections.append(
            MappingResult.Section(
                keyPath: keyPath, objects: objects, info: recorder?.infos ?? []))
    }
}

/// Forwards events to two observers; the second may refuse changes.
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
    /// The component in the paths of issues.
    fileprivate var issueComponent: DocumentPath.Component {
        switch self {
        case .key(let key): .key(key)
        case .index(let index): .index(index)
        case .placeholder, .metadata, .root, .parent, .collected: .key(text)
        }
    }
}
