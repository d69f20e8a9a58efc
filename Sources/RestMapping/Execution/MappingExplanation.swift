// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The outcome of each property of each object of one run, in words.
///
/// Holds paths, names and kinds of values, never the values themselves.
public struct MappingExplanation: Sendable, CustomStringConvertible {
    /// The outcome of a property.
    public enum Outcome: Sendable, Hashable {
        /// A value was assigned.
        case assigned
        /// The property has the value already.
        case unchanged
        /// The validation rejected the value.
        case rejected
        /// The document has no value.
        case missing
        /// The value does not fit.
        case failed(MappingIssue)
    }

    /// One property of one object.
    public struct Entry: Sendable, Hashable {
        /// The path of the object.
        public let object: DocumentPath
        /// The name of the type or entity.
        public let mapping: String
        /// The name of the property.
        public let property: String
        /// The source of its value, relative to the object.
        public let source: SourcePath
        /// The name of the transform, if the mapping declares one.
        public let transform: String?
        /// The outcome.
        public let outcome: Outcome
    }

    /// The properties, object by object as they end, in the order of assignment.
    public let entries: [Entry]
    /// The issues and counts of the run.
    public let report: MappingReport
    /// The error that ended the run; `nil` if it succeeded.
    public let error: MappingError?

    /// One line for each property.
    public var description: String {
        var text = entries.map { entry in
            let object =
                entry.object.components.isEmpty ? "the document" : entry.object.abbreviated
            let path = entry.source.components.isEmpty ? "the object" : "'\(entry.source)'"
            let source = entry.transform.map { "\(path) through \($0)" } ?? path
            let property = "\(object): \(entry.mapping).\(entry.property)"
            switch entry.outcome {
            case .assigned: return "\(property) is assigned from \(source)"
            case .unchanged: return "\(property) is unchanged: equal to \(source)"
            case .rejected: return "\(property) is unchanged: its validation rejects \(source)"
            case .missing: return "\(property) is not assigned: there is no value at \(path)"
            case .failed(let issue):
                return "\(property) is not assigned from \(source): \(issue.code), expected "
                    + "\(issue.expected), found \(issue.found)"
            }
        }
        if let error { text.append("ended by \(error)") }
        return text.joined(separator: "\n")
    }
}

extension MappingPlan {
    /// Runs the plan and explains for each property which source it was assigned from, or why it was
    /// not assigned.
    ///
    /// The objects are built and discarded. Much slower than a run; the explanation is for people.
    ///
    /// - Parameters:
    ///   - node: The representation.
    ///   - environment: The environment of the run; its observer is not called.
    /// - Returns: An entry for each property of each object, and the error that ended the run.
    public func explain(
        _ node: Node, in environment: MappingEnvironment? = nil
    ) -> MappingExplanation {
        let recorder = ExplanationRecorder(self)
        var environment = environment ?? MappingEnvironment()
        environment.observer = recorder
        var report = MappingReport()
        var failure: MappingError?
        do throws(MappingError) {
            _ = try anyObjects(from: node, in: environment, report: &report)
        } catch {
            failure = error
        }
        return MappingExplanation(
            entries: recorder.entries(report), report: report, error: failure)
    }
}

/// An observer that collects the outcomes of properties.
private final class ExplanationRecorder: MappingObserver {
    private struct PropertyOutcome {
        let source: SourcePath
        let destination: String
        let transform: String?
        var outcome: MappingExplanation.Outcome
    }

    private struct Object {
        let node: Node
        let mapping: String
        let index: Int
        var properties: [PropertyOutcome] = []
    }

    private let plan: MappingPlan
    private var open: [Object] = []
    private var ended: [Object] = []

    init(_ plan: MappingPlan) {
        self.plan = plan
    }

    func observe(_ event: MappingEvent) {
        switch event.kind {
        case .began:
            open.append(Object(node: event.node, mapping: event.mapping, index: event.object))
        case .set: add(.assigned, event)
        case .unchanged: add(.unchanged, event)
        case .rejected: add(.rejected, event)
        case .notFound: add(.missing, event)
        case .ended:
            guard var object = open.popLast() else { return }
            for step in plan.objectDetails[object.index].steps {
                let detail = plan.stepDetails[step]
                guard !object.properties.contains(where: { $0.destination == detail.destination })
                else { continue }
                object.properties.append(
                    PropertyOutcome(
                        source: detail.source, destination: detail.destination,
                        transform: detail.transform?.name, outcome: .missing))
            }
            ended.append(object)
        case .selected, .found, .willSet, .failed: break
        }
    }

    private func add(_ outcome: MappingExplanation.Outcome, _ event: MappingEvent) {
        guard let last = open.indices.last else { return }
        open[last].properties.append(
            PropertyOutcome(
                source: event.source, destination: event.destination, transform: event.transform,
                outcome: outcome))
    }

    /// Returns the entries, with the issues of the run in place of the missing values they explain.
    func entries(_ report: MappingReport) -> [MappingExplanation.Entry] {
        var issues = report.issues
        return ended.flatMap { object in
            let path = object.node.path
            return object.properties.map { property in
                var outcome = property.outcome
                let known = issues.firstIndex {
                    $0.mapping == object.mapping && $0.property == property.destination
                        && $0.path.components.starts(with: path.components)
                }
                if outcome == .missing, let known {
                    outcome = .failed(issues.remove(at: known))
                }
                return MappingExplanation.Entry(
                    object: path, mapping: object.mapping, property: property.destination,
                    source: property.source, transform: property.transform, outcome: outcome)
            }
        }
    }
}
