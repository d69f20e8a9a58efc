// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import Testing

/// Documents that are imported one after the other, each of them twice.
struct ImportSequence {
    private struct Step: Sendable {
        let plan: EntityMappingPlan
        let document: Document
        let text: String
        let saves: Bool
        /// The lines after the import; `nil` for those after the first of two imports.
        let lines: [String]?
    }

    private let model: ManagedObjectModel
    private let usesNewContexts: Bool
    private var plans: [String: EntityMappingPlan] = [:]
    private var steps: [Step] = []

    /// Creates an empty sequence.
    ///
    /// - Parameters:
    ///   - model: The model of the store.
    ///   - usesNewContexts: A Boolean value that indicates whether a new context follows each save.
    init(in model: ManagedObjectModel, usesNewContexts: Bool = false) {
        self.model = model
        self.usesNewContexts = usesNewContexts
    }

    /// Adds a document, which the default mapping of an entity imports.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - text: The document.
    ///   - saves: A Boolean value that indicates whether the context is saved after each import.
    ///   - lines: The lines after each import; with `nil`, the second import may change nothing.
    /// - Throws: The error of the mapping or of the document.
    mutating func add(
        _ entity: String, _ text: String, saves: Bool, expecting lines: [String]? = nil
    ) throws {
        let table = try #require(model.properties(of: entity))
        let plan =
            try plans[entity]
            ?? EntityMappingPlan(EntityMapping(ObjectMapping(defaultFor: table)), in: model)
        plans[entity] = plan
        steps.append(
            Step(
                plan: plan, document: try Document(parsing: text), text: "\(entity) \(text)",
                saves: saves, lines: lines))
    }

    /// Imports the documents, saves them, and compares the lines after each import and in the file.
    ///
    /// - Parameters:
    ///   - store: A store of the model.
    ///   - lines: A closure that describes the objects of a context.
    /// - Returns: The first difference, or the issues of an import whose lines are given, with the documents so
    ///   far; `nil` if there is none.
    /// - Throws: The error of an import or of the store.
    func difference(
        in store: ManagedObjectStore,
        _ lines: @escaping @Sendable (ManagedObjectContext) throws -> [String]
    ) async throws -> String? {
        var rest = steps.indices.flatMap { [(index: $0, number: 1), (index: $0, number: 2)] }[...]
        var expected: [String] = []
        while !rest.isEmpty {
            let end = rest.firstIndex { usesNewContexts && steps[$0.index].saves }
            let imports = rest[...(end ?? rest.endIndex - 1)]
            let found = try await difference(by: imports, since: expected, in: store, lines)
            if let difference = found.difference { return difference }
            expected = found.lines
            rest = rest[imports.endIndex...]
            let stored = try await store.read(lines)
            if stored != expected {
                return "stored: \(stored), not \(expected): \(steps.map(\.text))"
            }
        }
        return nil
    }

    /// Imports documents into one context, and saves it.
    ///
    /// - Parameters:
    ///   - imports: The steps, each with the number of its import.
    ///   - former: The lines before.
    ///   - store: The store.
    ///   - lines: A closure that describes the objects of a context.
    /// - Returns: The first difference, and the lines afterwards.
    /// - Throws: The error of an import or of the store.
    private func difference(
        by imports: ArraySlice<(index: Int, number: Int)>, since former: [String],
        in store: ManagedObjectStore,
        _ lines: @escaping @Sendable (ManagedObjectContext) throws -> [String]
    ) async throws -> (difference: String?, lines: [String]) {
        let steps = steps
        return try await store.perform { context in
            var known = former
            for (index, number) in imports {
                let step = steps[index]
                func difference(_ expected: [String], _ found: [String]) -> String? {
                    if found == expected { return nil }
                    let documents = steps[...index].map { $0.text + ($0.saves ? ", saved" : "") }
                    return "import \(number): \(found), not \(expected): \(documents)"
                }
                let result = try context.importObjects(from: step.document.root, by: step.plan)
                let issues = result.report.issues
                if step.lines != nil, !issues.isEmpty { return ("\(step.text): \(issues)", known) }
                let found = try lines(context)
                let expected = step.lines ?? (number == 1 ? found : known)
                if let text = difference(expected, found) { return (text, found) }
                if step.saves || imports.last?.index == index && imports.last?.number == number {
                    try context.save()
                    if let text = difference(expected, try lines(context)) {
                        return ("saved, \(text)", found)
                    }
                }
                known = found
            }
            return (nil, known)
        }
    }
}
