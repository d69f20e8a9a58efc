// SPDX-License-Identifier: Apache-2.0

#if Macros && os(Linux)
import TestSupport
import Testing

/// The errors that the compiler reports where an object or a context would leave its region.
///
/// The article "Contexts and regions" shows what to write instead.
@Suite struct ContextRegionTests {
    private static let declarations = """
        import RestPersistence

        @Entity final class Airport: ManagedObject {
            @Identity var code: String
            var name: String
        }

        actor Importer {
            func rename(_ airport: Airport) {}
            func save(_ context: ManagedObjectContext) {}
        }
        """

    private static let taskRace =
        "passing closure as a 'sending' parameter risks causing data races between code in the "
        + "current task and concurrent execution of the closure"
    private static let mainActorRace =
        "passing closure as a 'sending' parameter risks causing data races between main "
        + "actor-isolated code and concurrent execution of the closure"
    private static let object =
        "conformance of 'ManagedObject' to 'Sendable' is unavailable: an object belongs to its "
        + "context; pass its objectID instead"
    private static let context =
        "conformance of 'ManagedObjectContext' to 'Sendable' is unavailable: a context belongs to "
        + "its region; use store.perform"

    @Test func refusesTransferToOtherRegion() throws {
        let errors = try SwiftCompiler.errors(
            in: [
                "object in a task": """
                func rename(_ airport: Airport) {
                    Task { airport.name = "Oslo" }
                }
                """,
                "context in a task": """
                func save(_ context: ManagedObjectContext) {
                    Task { try context.save() }
                }
                """,
                "object in a detached task": """
                @MainActor func show(_ store: ManagedObjectStore) throws {
                    let airport = try store.mainContext.fetch(Airport.self)[0]
                    Task.detached { print(airport.name) }
                }
                """,
                "context in a detached task": """
                @MainActor func save(in store: ManagedObjectStore) {
                    let context = store.mainContext
                    Task.detached { try context.save() }
                }
                """,
                "object in a task group": """
                func rename(inGroup airport: Airport) async {
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask { airport.name = "Oslo" }
                    }
                }
                """,
                "object in async let": """
                func name(of airport: Airport) async -> String {
                    async let name = airport.name
                    return await name
                }
                """,
                "object to an actor": """
                @MainActor func rename(_ store: ManagedObjectStore, _ importer: Importer) async throws {
                    let airport = try store.mainContext.fetch(Airport.self)[0]
                    await importer.rename(airport)
                }
                """,
                "context to an actor": """
                @MainActor func save(_ store: ManagedObjectStore, _ importer: Importer) async {
                    await importer.save(store.mainContext)
                }
                """,
            ], after: Self.declarations, stage: .regions)
        #expect(
            errors == [
                "object in a task": [Self.taskRace],
                "context in a task": [Self.taskRace],
                "object in a detached task": [Self.mainActorRace],
                "context in a detached task": [Self.mainActorRace],
                "object in a task group": [Self.taskRace],
                "object in async let": ["sending 'airport' risks causing data races"],
                "object to an actor": ["sending 'airport' risks causing data races"],
                "context to an actor": ["sending 'store.mainContext' risks causing data races"],
            ])
    }

    @Test func refusesSharedStorageAndResults() throws {
        let errors = try SwiftCompiler.errors(
            in: [
                "object as a result": """
                func first(_ store: ManagedObjectStore) async throws {
                    _ = try await store.perform { context in try context.fetch(Airport.self)[0] }
                }
                """,
                "context as a result": """
                func context(_ store: ManagedObjectStore) async throws {
                    _ = try await store.perform { context in context }
                }
                """,
                "object in a sendable closure": """
                func rename(_ store: ManagedObjectStore, _ airport: Airport) async throws {
                    try await store.perform { _ in airport.name = "Oslo" }
                }
                """,
                "object in a global variable": "var selected: Airport?",
                "context in a static variable": """
                enum App { static var context: ManagedObjectContext? }
                """,
                "context in a global constant": """
                let shared: [ManagedObjectContext] = []
                """,
                "object in a sendable struct": """
                struct Selection: Sendable { let airport: Airport }
                """,
                "context in a sendable class": """
                final class Service: Sendable {
                    let context: ManagedObjectContext
                    init(_ context: ManagedObjectContext) { self.context = context }
                }
                """,
                "object as a sendable argument": """
                func send<Value: Sendable>(_ value: Value) {}
                func send(object: Airport) { send(object) }
                """,
            ], after: Self.declarations)
        #expect(
            errors == [
                "object as a result": [Self.object],
                "context as a result": [Self.context],
                "object in a sendable closure": [
                    "capture of 'airport' with non-Sendable type 'Airport' in a '@Sendable' closure"
                ],
                "object in a global variable": [
                    "var 'selected' is not concurrency-safe because it is nonisolated global shared "
                        + "mutable state"
                ],
                "context in a static variable": [
                    "static property 'context' is not concurrency-safe because it is nonisolated "
                        + "global shared mutable state"
                ],
                "context in a global constant": [
                    "let 'shared' is not concurrency-safe because non-'Sendable' type "
                        + "'[ManagedObjectContext]' may have shared mutable state"
                ],
                "object in a sendable struct": [
                    "stored property 'airport' of 'Sendable'-conforming struct 'Selection' has "
                        + "non-Sendable type 'Airport'"
                ],
                "context in a sendable class": [
                    "stored property 'context' of 'Sendable'-conforming class 'Service' has "
                        + "non-Sendable type 'ManagedObjectContext'"
                ],
                "object as a sendable argument": [Self.object],
            ])
    }

    @Test func acceptsDocumentedWaysOut() throws {
        let errors = try SwiftCompiler.errors(
            in: [
                "ID and values": """
                @MainActor func rename(_ airport: Airport, in store: ManagedObjectStore) throws {
                    let id = airport.objectID
                    let values = try Airport.Values(airport)
                    Task.detached {
                        try await store.perform { context in
                            try context.object(Airport.self, with: id).name = values.name + "!"
                            try context.save()
                        }
                    }
                }
                """,
                "context of an actor": """
                actor Renamer {
                    private let context: ManagedObjectContext
                    init(_ store: ManagedObjectStore) { context = store.makeContext() }
                    func rename(_ id: ManagedObjectID) async throws {
                        try context.object(Airport.self, with: id).name = "Oslo"
                        try await context.save()
                    }
                }
                """,
                "context of a task": """
                func rename(in store: ManagedObjectStore, _ id: ManagedObjectID) {
                    Task {
                        let context = store.makeContext()
                        let airport = try context.object(Airport.self, with: id)
                        airport.name = "Oslo"
                        try await context.save()
                    }
                }
                """,
                "main actor": """
                @MainActor final class Selection { var airport: Airport? }
                @MainActor var selected: Airport?
                @MainActor func rename(onMain airport: Airport) {
                    Task { airport.name = "Oslo" }
                }
                """,
            ], after: Self.declarations, stage: .regions)
        #expect(errors == [:])
    }
}
#endif
