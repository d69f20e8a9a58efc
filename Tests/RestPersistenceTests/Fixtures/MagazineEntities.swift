// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// Entities with relationships of every shape, each of which has both sides in representations.
enum MagazineEntities {
    /// The names of the relationships that are between objects with identities.
    private static let relationships = [
        "comments", "article", "editor", "edits", "partner", "tags", "articles",
    ]

    /// The number of variants of ``all(_:)``.
    static let variantCount = 1 << relationships.count

    /// Returns the entities; each bit of the variant is a relationship of which representations contain
    /// identities in place of objects.
    static func all(_ variant: Int) -> [EntityDescription] {
        func reference(_ name: String) -> ReferenceDescription? {
            let bit = relationships.firstIndex(of: name) ?? 0
            return variant >> bit & 1 == 1 ? ReferenceDescription(by: "id") : nil
        }
        let id = AttributeDescription("id", .integer, isIdentity: true)
        let title = AttributeDescription("title", .text, isOptional: true)
        return [
            EntityDescription(
                "Article", attributes: [id, title],
                relationships: [
                    .toMany(
                        "comments", "Comment", inverse: "article", isOrdered: true,
                        reference: reference("comments")),
                    .toOne("editor", "Person", inverse: "edits", reference: reference("editor")),
                    .toMany(
                        "tags", "Tag", inverse: "articles", isOrdered: true,
                        reference: reference("tags")),
                    .toMany(
                        "lines", "Line", inverse: "article", isOrdered: true, deleteRule: .cascade),
                ]),
            EntityDescription(
                "Comment", attributes: [id, title],
                relationships: [
                    .toOne(
                        "article", "Article", inverse: "comments", reference: reference("article"))
                ]),
            EntityDescription(
                "Person", attributes: [id, title],
                relationships: [
                    .toOne("edits", "Article", inverse: "editor", reference: reference("edits")),
                    .toOne(
                        "partner", "Person", inverse: "partner", reference: reference("partner")),
                ]),
            EntityDescription(
                "Tag", attributes: [id, title],
                relationships: [
                    .toMany(
                        "articles", "Article", inverse: "tags", reference: reference("articles"))
                ]),
            EntityDescription(
                "Line",
                attributes: [title, AttributeDescription("count", .integer, isOptional: true)],
                relationships: [.toOne("article", "Article", inverse: "lines")]),
        ]
    }

    /// Returns the content of a context as text, with the references that wait.
    static func lines(of context: ManagedObjectContext) throws -> [String] {
        func id(_ object: ManagedObject) throws -> String {
            if object.objectID.entityName == "Line" {
                let title = try object.value("title", as: String?.self) ?? "-"
                return try "\(title)\(object.value("count", as: Int?.self) ?? 0)"
            }
            return try "\(object.value("id", as: Int.self))"
        }
        var lines: [String] = []
        for entity in all(0) {
            for object in try context.fetch(FetchRequest(entity.name)) {
                var line = try "\(entity.name) \(id(object)) "
                line += try object.value("title", as: String?.self) ?? "-"
                for relationship in entity.relationships {
                    let keys = try object.related(relationship.name).map(id)
                    let list = relationship.isOrdered ? keys : keys.sorted()
                    if !list.isEmpty { line += " \(relationship.name) \(list)" }
                }
                lines.append(line)
            }
            for reference in try context.pendingReferences(ofEntity: entity.name) {
                let owner = try id(context.object(with: reference.owner))
                let position = reference.position.map { " \($0)" } ?? ""
                lines.append(
                    "\(entity.name) \(owner) \(reference.relationship) waits for "
                        + "\(reference.identity)\(position)")
            }
        }
        return lines.sorted()
    }
}

/// A generator of documents in which objects occur several times, with some of their keys and with
/// contradicting relationships.
struct MagazineGenerator {
    let entities: [EntityDescription]
    var generator: SeededGenerator

    init(variant: Int, seed: Int) {
        entities = MagazineEntities.all(variant)
        generator = SeededGenerator(state: UInt64(seed))
    }

    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    /// Returns a name of an entity and a list of its objects.
    mutating func document() -> (entity: String, text: String) {
        let entity = entities[Int.random(in: 0..<4, using: &generator)]
        let count = Int.random(in: 1...3, using: &generator)
        let objects = (0..<count).map { _ in object(entity, depth: 0) }
        return (entity.name, "[\(objects.joined(separator: ", "))]")
    }

    private mutating func object(_ entity: EntityDescription, depth: Int) -> String {
        var members: [String] = []
        if entity.name != "Line" {
            members.append(#""id": \#(Int.random(in: 1...3, using: &generator))"#)
        } else if chance(2) {
            members.append(#""count": \#(Int.random(in: 1...2, using: &generator))"#)
        }
        if entity.name == "Line" || chance(4) {
            members.append(
                #""title": "\#(["a", "b", "c"].randomElement(using: &generator) ?? "")""#)
        }
        for relationship in entity.relationships where entity.name != "Line" && chance(2) {
            members.append(#""\#(relationship.name)": \#(value(of: relationship, depth: depth))"#)
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func value(of relationship: RelationshipDescription, depth: Int) -> String {
        if chance(5) { return "null" }
        if !relationship.isToMany { return destination(of: relationship, depth: depth) }
        let count = depth > 2 ? 0 : Int.random(in: 0...3, using: &generator)
        let list = (0..<count).map { _ in destination(of: relationship, depth: depth) }
        return "[\(list.joined(separator: ", "))]"
    }

    private mutating func destination(
        of relationship: RelationshipDescription, depth: Int
    ) -> String {
        if relationship.reference != nil { return "\(Int.random(in: 1...4, using: &generator))" }
        if depth > 2 { return "null" }
        guard let entity = entities.first(where: { $0.name == relationship.destinationName }) else {
            return "null"
        }
        return object(entity, depth: depth + 1)
    }
}
