// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The invariants of every document mapped by any mapping.
package enum MappingInvariants {
    /// The second run that a run is compared with; one for each input.
    private enum Comparison: UInt8 {
        /// An observed run.
        case observed
        /// An explained run.
        case explained
        /// A run over the same document in another layout.
        case rewritten
        /// A run of the plan after it was printed.
        case printed
    }

    /// Maps the document in an input up to a zero byte, by a mapping that the bytes after it choose or
    /// define.
    ///
    /// - Returns: Whether objects were mapped.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let end = input.firstIndex(of: 0) ?? input.count
        var source = ByteSource(input[end...].dropFirst())
        let choice = source.byte()
        guard let compiled = try compiled(choice, &source),
            let document = FuzzedDocument.document(of: input[..<end]),
            let comparison = Comparison(rawValue: choice & 3)
        else { return false }
        let outcome = try run(compiled.plan, document, observer: nil)
        for object in outcome.objects { try compiled.declared.check(object) }
        try check(outcome, compiled.plan, document, comparison)
        return !outcome.objects.isEmpty
    }

    private static func check(
        _ outcome: Outcome, _ plan: MappingPlan, _ document: Document, _ comparison: Comparison
    ) throws(BrokenInvariant) {
        switch comparison {
        case .observed:
            let observed = try run(plan, document, observer: MappingInfoRecorder())
            // Observation changes nothing, except that each level needs more stack.
            guard !outcome.isTooDeep, !observed.isTooDeep else { return }
            try require(
                isEqual(observed.objects, outcome.objects), "an observer changes no object")
            try require(observed.error == outcome.error, "nor the error")
            try require(observed.report == outcome.report, "nor the report")
        case .explained:
            let explanation = plan.explain(document.root, in: environment)
            guard !outcome.isTooDeep, !isTooDeep(explanation.report) else { return }
            try require(
                explanation.error?.description == outcome.error,
                "an explanation ends as the run does")
            try require(explanation.report == outcome.report, "with the same report")
        case .rewritten:
            guard let copy = try? Document(parsing: JSONWriter.pretty.bytes(of: document)) else {
                throw BrokenInvariant(description: "a written document can be read")
            }
            try checkSame(try run(plan, copy, observer: nil), outcome)
        case .printed:
            try require(plan.description.utf8.count < 1 << 20, "a plan prints itself")
            try checkSame(try run(plan, document, observer: nil), outcome)
        }
    }

    private static func checkSame(
        _ again: Outcome, _ outcome: Outcome
    ) throws(BrokenInvariant) {
        try require(isEqual(again.objects, outcome.objects), "the same document, the same objects")
        try require(again.error == outcome.error, "the same error")
        try require(again.report == outcome.report, "the same report")
    }

    // MARK: Mappings

    private struct Compiled {
        let plan: MappingPlan
        let declared: FuzzedProperties
    }

    /// Mappings that are compiled once, because compiling takes longer than ten runs.
    private static let known: [Compiled] = {
        var known: [Compiled] = []
        var state: UInt64 = 0
        while known.count < 256 {
            // Knuth's generator, so that the bytes are the same each time.
            let bytes = (0..<96).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            var source = ByteSource(bytes[...])
            if let compiled = try? compile(&source) { known.append(compiled) }
        }
        return known
    }()

    /// Returns a known mapping, or one that the input defines.
    private static func compiled(
        _ choice: UInt8, _ source: inout ByteSource
    ) throws(BrokenInvariant) -> Compiled? {
        choice & 12 == 12 ? try compile(&source) : known[Int(source.byte())]
    }

    private static func compile(_ source: inout ByteSource) throws(BrokenInvariant) -> Compiled? {
        let mapping = FuzzedMapping(&source)
        do throws(MappingError) {
            let compiler = MappingCompiler(defaults: mapping.defaults)
            return Compiled(
                plan: try compiler.compile(mapping.mapping), declared: mapping.declared)
        } catch {
            try require(error.code == .invalidMapping, "the code of a mapping: \(error.code)")
            try require(!error.diagnostics.isEmpty, "diagnostics of an invalid mapping")
            try require(isOneLine(error.description), "an error of one line")
            return nil
        }
    }

    // MARK: Runs

    private static let metadata: [Document] = [["page": 1, "user": ["name": "meta"]]]

    /// An environment with fewer passes than by default, because an input is mapped twice under a
    /// sanitizer.
    private static var environment: MappingEnvironment {
        var environment = MappingEnvironment(metadata: metadata)
        environment.passLimit = 3
        return environment
    }

    private struct Outcome {
        var objects: [any Mapped] = []
        var report = MappingReport()
        var error: String?

        var isTooDeep: Bool { MappingInvariants.isTooDeep(report) }
    }

    private static func isTooDeep(_ report: MappingReport) -> Bool {
        report.issues.contains { $0.code == .depthExceeded }
    }

    private static func run(
        _ plan: MappingPlan, _ document: Document, observer: (any MappingObserver)?
    ) throws(BrokenInvariant) -> Outcome {
        var outcome = Outcome()
        var environment = environment
        environment.observer = observer
        do throws(MappingError) {
            let objects = try plan.anyObjects(
                from: document.root, in: environment, report: &outcome.report)
            outcome.objects = objects.compactMap { $0 as? any Mapped }
        } catch {
            let text = error.description
            outcome.error = text
            try require(isOneLine(text), "an error of one line")
            try require(text.hasPrefix("\(error.code)"), "an error begins with its code")
            try checkPath(error.path, document)
        }
        let issues = outcome.report.issues
        try require(outcome.report.issueCount >= issues.count, "issues are counted")
        // A sample of the issues, the first and others throughout the document.
        for index in stride(from: 0, to: issues.count, by: issues.count / 8 + 1) {
            try require(isOneLine(issues[index].description), "an issue of one line")
            try checkPath(issues[index].path, document)
        }
        return outcome
    }

    private static func isOneLine(_ text: String) -> Bool { !text.utf8.contains(0x0A) }

    /// Checks that a path is in the document; where keys repeat, it may lead to another value.
    private static func checkPath(
        _ path: DocumentPath, _ document: Document
    ) throws(BrokenInvariant) {
        try require(
            document.root[path] != nil || !document.issues.isEmpty,
            "a path in the document: \(path)")
    }

    private static func isEqual(_ left: [any Mapped], _ right: [any Mapped]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { left, right in
                if let left = left as? Leaf, let right = right as? Leaf { return left == right }
                guard let left = left as? Branch, let right = right as? Branch else { return false }
                return left == right
            }
    }
}
