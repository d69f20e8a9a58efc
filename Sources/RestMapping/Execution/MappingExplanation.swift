// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// What became of every property of every object of one run, in words.
///
/// Holds paths, names and kinds of values, never the values themselves.
public struct MappingExplanation: Sendable, CustomStringConvertible {
    /// What became of a property.
    public enum Outcome: Sendable, Hashable {
        /// It was fed.
        case assigned
        /// It has that value already.
        case unchanged
        /// Its validation rejected the value.
        case rejected
        /// Nothing was found for it.
        case missing
        /// What was found does not fit.
        case failed(MappingIssue)
    }

    /// One property of one object.
    public struct Line: Sendable, Hashable {
        /// Where the object stands.
        public let object: DocumentPath
        /// Name of the type or entity.
        public let mapping: String
        /// Name of the property.
        public let property: String
        /// Where its value was looked up, seen from the object.
        public let source: SourcePath
        /// Name of the transform it went through, if one was declared.
        public let transform: String?
        /// What became of it.
        public let outcome: Outcome
    }

    /// The properties, object by object as they end, in the order they were fed.
    public let lines: [Line]
    /// What else was met.
    public let report: MappingReport
    /// What ended the run, if it did not come to its end.
    public let error: MappingError?

    /// One line for each property.
    public var description: String {
        var text = lines.map { line in
            let place = line.object.components.isEmpty ? "the document" : line.object.abbreviated
            let source = line.source.components.isEmpty ? "the object" : "'\(line.source)'"
            let way = line.transform.map { "\(source) through \($0)" } ?? source
            let target = "\(place): \(line.mapping).\(line.property)"
            switch line.outcome {
            case .assigned: return "\(target) is fed from \(way)"
            case .unchanged: return "\(target) is as \(way) says already"
            case .rejected: return "\(target) is kept, as its validation rejects \(way)"
            case .missing: return "\(target) gets nothing, as there is nothing at \(source)"
            case .failed(let issue):
                return "\(target) gets nothing from \(way): \(issue.code), expected "
                    + "\(issue.expected), found \(issue.found)"
            }
        }
        if let error { text.append("ended by \(error)") }
        return text.joined(separator: "\n")
    }
}

extension MappingPlan {
    /// Runs the plan and says for every property which place fed it, or why none did.
    ///
    /// The objects are built and given up. Much slower than a run, and for people to read.
    ///
    /// - Parameters:
    ///   - node: What a run would begin with.
    ///   - environment: What it would be given; its observer is not told.
    /// - Returns: A line for each property of each object, and what the run ended with.
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
            lines: recorder.lines(report), report: report, error: failure)
    }
}

/// Collects what became of properties.
private final class ExplanationRecorder: MappingObserver {
    private struct Fate {
        let source: SourcePath
        let destination: String
        let transform: String?
        var outcome: MappingExplanation.Outcome
    }

    private struct Object {
        let node: Node
        let mapping: String
        let index: Int
        var fates: [Fate] = []
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
            for step in plan.rules[object.index].steps {
                let detail = plan.details[step]
                guard !object.fates.contains(where: { $0.destination == detail.destination })
                else { continue }
                object.fates.append(
                    Fate(
                        source: detail.source, destination: detail.destination,
                        transform: detail.transform?.name, outcome: .missing))
            }
            ended.append(object)
        case .selected, .found, .willSet, .failed: break
        }
    }

    private func add(_ outcome: MappingExplanation.Outcome, _ event: MappingEvent) {
        guard let last = open.indices.last else { return }
        open[last].fates.append(
            Fate(
                source: event.source, destination: event.destination, transform: event.transform,
                outcome: outcome))
    }

    /// What was collected, with the issues of the run in place of what they explain.
    func lines(_ report: MappingReport) -> [MappingExplanation.Line] {
        var issues = report.issues
        return ended.flatMap { object in
            let path = object.node.path
            return object.fates.map { fate in
                var outcome = fate.outcome
                let known = issues.firstIndex {
                    $0.mapping == object.mapping && $0.property == fate.destination
                        && $0.path.components.starts(with: path.components)
                }
                if outcome == .missing, let known {
                    outcome = .failed(issues.remove(at: known))
                }
                return MappingExplanation.Line(
                    object: path, mapping: object.mapping, property: fate.destination,
                    source: fate.source, transform: fate.transform, outcome: outcome)
            }
        }
    }
}
