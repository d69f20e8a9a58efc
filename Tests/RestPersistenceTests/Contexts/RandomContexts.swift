// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence

/// Contexts of one store, their expected contents, and random steps that change both.
final class RandomContexts {
    enum Kind {
        case sets
        /// To-many relationships have an order.
        case lists
        /// Few objects, whose one-to-one relationship changes often.
        case favourites
    }

    /// A difference between a context and its expected content.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    /// A context and the model of it.
    final class Level {
        let name: String
        let context: ManagedObjectContext
        let model: NaiveContext
        /// All objects that the context has had, so that none is released.
        var objects: [Int64: ManagedObject] = [:]
        var children: [Level] = []

        init(_ name: String, _ context: ManagedObjectContext, _ model: NaiveContext) {
            self.name = name
            self.context = context
            self.model = model
        }
    }

    /// Returns the entities, whose to-many relationships have an order or not.
    static func entities(isOrdered: Bool) -> [EntityDescription] {
        [
            EntityDescription(
                "Author", attributes: [AttributeDescription("age", .integer, isOptional: true)],
                relationships: [
                    .toMany(
                        "books", "Book", inverse: "author", isOrdered: isOrdered,
                        deleteRule: .cascade),
                    .toOne("favourite", "Tag", inverse: "fan"),
                ]),
            EntityDescription(
                "Book",
                attributes: [
                    AttributeDescription("pages", .integer, isOptional: true),
                    AttributeDescription("year", .integer, isOptional: true),
                ],
                relationships: [
                    .toOne("author", "Author", inverse: "books"),
                    .toMany("tags", "Tag", inverse: "books", isOrdered: isOrdered),
                ]),
            EntityDescription(
                "Tag", attributes: [AttributeDescription("weight", .integer, isOptional: true)],
                relationships: [
                    .toMany("books", "Book", inverse: "tags", isOrdered: isOrdered),
                    .toOne("fan", "Author", inverse: "favourite"),
                ]),
        ]
    }

    static let attributes = ["Author": ["age"], "Book": ["pages", "year"], "Tag": ["weight"]]

    private let store: ManagedObjectStore
    let saved: NaiveStore
    let observer: FileObserver
    var isOrdered: Bool { saved.isOrdered }
    private let kind: Kind
    private(set) var levels: [Level] = []
    var random: SeededGenerator
    private(set) var trace: [String] = []
    private(set) var counts: [String: Int] = [:]
    /// The attribute that was picked last.
    private var latest: (key: Int64, name: String)?

    /// Creates two root contexts, one of which is the main context, with children in two layers.
    @MainActor
    init(
        _ store: ManagedObjectStore, _ files: TemporaryStore, _ kind: Kind, seed: Int
    ) throws {
        self.store = store
        self.kind = kind
        saved = NaiveStore(isOrdered: kind == .lists)
        random = SeededGenerator(state: UInt64(seed))
        observer = try files.observer()
        for (name, context) in [("main", store.mainContext), ("other", store.makeContext())] {
            let root = Level(name, context, NaiveContext(parent: nil, store: saved))
            levels.append(root)
            let child = addChild(of: root)
            _ = addChild(of: child)
        }
        _ = addChild(of: levels[0])
        levels.append(
            Level("third", store.makeContext(), NaiveContext(parent: nil, store: saved)))
    }

    private func addChild(of parent: Level) -> Level {
        let name = "\(parent.name).\(parent.children.count)"
        let child = Level(
            name, parent.context.child(), NaiveContext(parent: parent.model, store: saved))
        parent.children.append(child)
        levels.append(child)
        return child
    }

    // MARK: Steps

    func step() throws {
        let level = levels[Int.random(in: 0..<levels.count, using: &random)]
        // Without a comparison, the context has not taken the latest changes of others. A context with
        // children takes them with those of the children, and reads the values later.
        if !level.children.isEmpty || Bool.random(using: &random) { try compare(level) }
        switch Int.random(in: 0..<(kind == .favourites ? 200 : 100), using: &random) {
        case 0..<12: try insert(level)
        case 12..<40: try setAttribute(level)
        case 40..<52: try setAuthor(level)
        case 52..<60: try setBooks(level)
        case 60..<64: try setFavourite(level)
        case 64..<74: try setTags(level)
        case 74..<82: try delete(level)
        case 82..<92: try save(level)
        case 92..<95: try saveToStore(level)
        case 95: try rollback(level, isReset: false)
        case 96: try rollback(level, isReset: true)
        case 97..<102: try refresh(level)
        case 102..<130: try save(level)
        default: try setFavourite(level)
        }
        try compare(level)
    }

    func note(_ text: String) { trace.append("\(trace.count): \(text)") }

    func count(_ name: String) { counts[name, default: 0] += 1 }

    /// Returns an object that the context shows.
    func pick(_ level: Level, _ entity: String) -> ManagedObject? {
        let keys = level.model.shown.keys(entity).sorted()
        return keys.randomElement(using: &random).flatMap { level.objects[$0] }
    }

    func pick(_ level: Level, _ entity: String, upTo limit: Int) -> [ManagedObject] {
        let keys = level.model.shown.keys(entity).sorted().shuffled(using: &random)
        return keys.prefix(Int.random(in: 0...limit, using: &random)).compactMap {
            level.objects[$0]
        }
    }

    private func number() -> Int64? {
        let number = Int64.random(in: 0..<6, using: &random)
        return number == 0 ? nil : number
    }

    private func insert(_ level: Level) throws {
        guard level.model.shown.rows.count < (kind == .favourites ? 6 : 14) else {
            return try delete(level)
        }
        try insert(
            ["Author", "Book", "Book", "Tag"][Int.random(in: 0..<4, using: &random)], level)
    }

    func insert(_ entity: String, _ level: Level) throws {
        let object = try level.context.insert(entity: entity)
        let key = object.objectID.key
        note("\(level.name) inserts \(entity) \(key)")
        level.objects[key] = object
        level.model.insert(key, entity)
    }

    private func setAttribute(_ level: Level) throws {
        // Contexts that set the same attribute come into conflict.
        if Int.random(in: 0..<3, using: &random) == 0, let latest,
            level.model.shown.rows[latest.key] != nil, let object = level.objects[latest.key]
        {
            return try set(number(), latest.name, of: object, level)
        }
        let (entity, names) = Self.attributes.sorted { $0.key < $1.key }[
            Int.random(in: 0..<3, using: &random)]
        guard let object = pick(level, entity) else { return }
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        let key = object.objectID.key
        latest = (key, name)
        if Bool.random(using: &random), let old = level.model.shown.rows[key]?.values[name] {
            let amount = Int64.random(in: -2...3, using: &random)
            note("\(level.name) adds \(amount) to \(key).\(name)")
            try object.incrementValue(name, by: amount)
            level.model.set(old + amount, name, of: key, isCounting: true)
            return
        }
        try set(number(), name, of: object, level)
    }

    func set(_ value: Int64?, _ name: String, of object: ManagedObject, _ level: Level) throws {
        note("\(level.name) sets \(object.objectID.key).\(name) = \(value ?? 0)")
        try object.setValue(value, name)
        level.model.set(value, name, of: object.objectID.key)
    }

    private func setAuthor(_ level: Level) throws {
        guard let book = pick(level, "Book") else { return }
        let author = Int.random(in: 0..<4, using: &random) == 0 ? nil : pick(level, "Author")
        note("\(level.name) sets \(book.objectID.key).author = \(author?.objectID.key ?? 0)")
        try book.setRelated("author", author.map { [$0] } ?? [])
        level.model.setAuthor(author?.objectID.key, ofBook: book.objectID.key)
    }

    private func setFavourite(_ level: Level) throws {
        guard let author = pick(level, "Author") else { return }
        let tag = Int.random(in: 0..<4, using: &random) == 0 ? nil : pick(level, "Tag")
        note("\(level.name) sets \(author.objectID.key).favourite = \(tag?.objectID.key ?? 0)")
        if let tag, Bool.random(using: &random) {
            try tag.setRelated("fan", [author])
        } else {
            try author.setRelated("favourite", tag.map { [$0] } ?? [])
        }
        level.model.setFavourite(tag?.objectID.key, of: author.objectID.key)
    }

    private func delete(_ level: Level) throws {
        // The delete rules apply to the latest destinations.
        try compare(level)
        let (shown, changes) = (level.model.shown, level.model.changes)
        if let key = changes.values.keys.filter({ shown.rows[$0] == nil }).min(),
            let object = level.objects[key], Bool.random(using: &random)
        {
            note("\(level.name) deletes \(key), which others have deleted")
            level.context.delete(object)
            level.model.deleteGone(key)
            return
        }
        guard let key = shown.rows.keys.sorted().randomElement(using: &random),
            let object = level.objects[key]
        else { return }
        delete(object, level)
    }

    func delete(_ object: ManagedObject, _ level: Level) {
        note("\(level.name) deletes \(object.objectID.key)")
        level.context.delete(object)
        level.model.delete(object.objectID.key)
    }

    // MARK: Discarding

    func rollback(_ level: Level, isReset: Bool) throws {
        note("\(level.name) \(isReset ? "is reset" : "rolls back")")
        if isReset {
            level.context.reset()
            level.objects = [:]
        } else {
            level.context.rollback()
        }
        level.model.rollback()
    }

    private func refresh(_ level: Level) throws {
        guard let key = level.model.shown.rows.keys.sorted().randomElement(using: &random),
            let object = level.objects[key]
        else { return }
        if Int.random(in: 0..<4, using: &random) == 0 {
            note("\(level.name) refreshes all objects")
            level.context.refreshAllObjects()
            level.model.take()
            return
        }
        let keeps = Bool.random(using: &random)
        note("\(level.name) refreshes \(key)\(keeps ? "" : " and discards its changes")")
        try level.context.refresh(object, keepingChanges: keeps)
        level.model.refresh(key, keepingChanges: keeps)
    }
}
