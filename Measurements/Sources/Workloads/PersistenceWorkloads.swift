// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RestDocument
import RestMapping
import RestPersistence

extension Workload {
    /// The workloads that import documents into contexts.
    static let persistence = [
        Workload("import new articles", collection) { bytes in
            try importing(bytes, isStored: false)
        },
        Workload("import stored articles", collection) { bytes in
            try importing(bytes, isStored: true)
        },
    ]

    /// Returns a pass that imports the generated articles into a new context of a temporary store.
    private static func importing(_ bytes: [UInt8], isStored: Bool) throws -> () throws -> Void {
        let model = try ManagedObjectModel(blog)
        let store = try waiting { try await ManagedObjectStore(temporaryFor: model) }
        guard let table = model.properties(of: "Article"),
            let person = model.properties(of: "Person"),
            let comment = model.properties(of: "Comment")
        else { fatalError("the model lacks an entity") }
        var people = ObjectMapping(table: person)
        people.add(["id", "name", "email", "verified"])
        var comments = ObjectMapping(table: comment)
        comments.add(["id", "body", "likes", "created_at"])
        comments.addRelationship(from: "author", mapping: people.mapping)
        var articles = ObjectMapping(table: table)
        articles.add(["id", "slug", "title", "body", "published", "price", "rating", "views"])
        articles.addRelationship(from: "author", mapping: people.mapping)
        articles.addRelationship(from: "comments", mapping: comments.mapping)
        let plan = try EntityMappingPlan(EntityMapping(articles), in: model)
        let document = try Document(parsing: bytes)
        guard let list = document.root["data"] else { fatalError("the collection has no articles") }
        if isStored { _ = try waiting { try await store.importObjects(from: list, by: plan) } }
        return {
            let result = try store.makeContext().importObjects(from: list, by: plan)
            guard result.total.inserted == 0 || !isStored else { fatalError("rows were lost") }
            use(result)
        }
    }

    private static let blog = [
        EntityDescription(
            "Article",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("slug", .text), AttributeDescription("title", .text),
                AttributeDescription("body", .text), AttributeDescription("published", .boolean),
                AttributeDescription("price", .double),
                AttributeDescription("rating", .double, isOptional: true),
                AttributeDescription("views", .integer),
            ],
            relationships: [
                .toOne("author", "Person"), .toMany("comments", "Comment", inverse: "article"),
            ]),
        EntityDescription(
            "Comment",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("body", .text), AttributeDescription("likes", .integer),
                AttributeDescription("created_at", .text),
            ],
            relationships: [
                .toOne("author", "Person"), .toOne("article", "Article", inverse: "comments"),
            ]),
        EntityDescription(
            "Person",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("name", .text),
                AttributeDescription("email", .text, isOptional: true),
                AttributeDescription("verified", .boolean),
            ]),
    ]
}

/// Waits for asynchronous work on other threads.
private func waiting<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    // Invariant: written before the semaphore is signalled, and read after that.
    nonisolated(unsafe) var result: Result<Value, any Error>?
    Task {
        do {
            unsafe result = .success(try await work())
        } catch {
            unsafe result = .failure(error)
        }
        done.signal()
    }
    done.wait()
    guard let result = unsafe result else { fatalError("the work has no result") }
    return try result.get()
}
