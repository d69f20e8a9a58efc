// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// What holds for every document that is mapped by any mapping.
package enum MappingInvariants {
    /// Makes a mapping of the first half of an input and maps a document made of the second.
    ///
    /// - Returns: Whether objects were mapped.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        var source = ByteSource(Array(input.prefix(input.count / 2)))
        let mapping = FuzzedMapping(&source)
        guard let plan = try plan(mapping) else { return false }
        let rest = Array(input.dropFirst(input.count / 2))
        guard let document = FuzzedDocument.document(of: rest) else { return false }
        let outcome = try run(plan, document, observer: nil)
        try checkDeclared(outcome.objects, mapping)

        // Looking on changes nothing, but that each level needs more stack.
        let watched = try run(plan, document, observer: MappingInfoRecorder())
        let explanation = plan.explain(document.root, in: environment)
        let reports = [outcome.report, watched.report, explanation.report]
        if !reports.contains(where: { $0.issues.contains { $0.code == .depthExceeded } }) {
            try require(
                isEqual(watched.objects, outcome.objects), "an observer changes no object")
            try require(watched.error == outcome.error, "nor the error")
            try require(
                explanation.error?.description == outcome.error,
                "an explanation ends as the run does")
            try require(
                explanation.report.issueCount == outcome.report.issueCount, "with the same issues")
        }
        try require(
            plan.description.utf8.count < 1 << 20, "a plan prints itself")

        // Nor does how the same document is written.
        guard let copy = try? Document(parsing: JSONWriter.pretty.bytes(of: document)) else {
            throw BrokenInvariant(description: "what was written can be read")
        }
        let again = try run(plan, copy, observer: nil)
        try require(isEqual(again.objects, outcome.objects), "the same document, the same objects")
        try require(again.error == outcome.error, "the same error")
        try require(again.report == outcome.report, "the same report")
        return !outcome.objects.isEmpty
    }

    /// Fewer passes than by default, as an input is mapped four times under a sanitizer.
    private static var environment: MappingEnvironment {
        var environment = MappingEnvironment(
            metadata: [["page": 1, "user": ["name": "meta"]]])
        environment.passLimit = 8
        return environment
    }

    private struct Outcome {
        var objects: [any Mapped] = []
        var report = MappingReport()
        var error: String?
    }

    private static func plan(_ mapping: FuzzedMapping) throws(BrokenInvariant) -> MappingPlan? {
        do throws(MappingError) {
            return try MappingCompiler(defaults: mapping.defaults).compile(mapping.mapping)
        } catch {
            try require(error.code == .invalidMapping, "the code of a mapping: \(error.code)")
            try require(!error.diagnostics.isEmpty, "what is wrong with it")
            try require(!error.description.utf8.contains(0x0A), "an error of one line")
            return nil
        }
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
            outcome.error = error.description
            try require(!error.description.utf8.contains(0x0A), "an error of one line")
            try require(
                error.description.hasPrefix("\(error.code)"), "an error begins with its code")
            try checkPlace(error.path, document)
        }
        for issue in outcome.report.issues {
            try require(!issue.description.utf8.contains(0x0A), "an issue of one line")
            try checkPlace(issue.path, document)
        }
        try require(
            outcome.report.issueCount >= outcome.report.issues.count, "issues are counted")
        return outcome
    }

    /// A place is in the document, or is missing from something that is.
    private static func checkPlace(
        _ path: DocumentPath, _ document: Document
    ) throws(BrokenInvariant) {
        let components = path.components
        let isThere =
            document.root[path] != nil
            || (0..<components.count).contains {
                document.root[DocumentPath(Array(components.prefix($0)))] != nil
            }
        try require(isThere, "a place in the document: \(path)")
    }

    /// Only what a mapping names is assigned.
    private static func checkDeclared(
        _ objects: [any Mapped], _ mapping: FuzzedMapping
    ) throws(BrokenInvariant) {
        for object in objects {
            switch object {
            case let leaf as Leaf:
                let other = leaf.changed.subtracting(mapping.declared("Leaf"))
                try require(other.isEmpty, "only declared properties are assigned: \(other)")
            case let branch as Branch:
                let other = branch.changed.subtracting(mapping.declared("Branch"))
                try require(other.isEmpty, "only declared properties are assigned: \(other)")
            default:
                throw BrokenInvariant(description: "an object of a type that is mapped")
            }
        }
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
