// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// An entity whose objects are in a collection of the simulated server.
protocol CollectionEntity: ManagedEntity {
    static var collection: String { get }
    var number: Int? { get }
}

@Entity final class Folder: ManagedObject {
    @Identity var id: Int?
    var name: String = ""
    @Inverse(\Note.folder) var notes: Set<Note>
}

@Entity final class Note: ManagedObject {
    @Identity var id: Int?
    var title: String = ""
    var text: String = ""
    var revision: Int = 0
    var folder: Folder?
}

@Entity final class Photo: ManagedObject {
    @Identity var id: Int
    var name: String = ""
}

@Entity final class Person: ManagedObject {
    @Identity var id: Int?
    var name: String = ""
    var friend: Person?
    @Inverse(\Person.friend) var admirers: Set<Person>
}

@Entity final class Label: ManagedObject {
    @Identity var id: Int?
    var name: String = ""
}

@Entity final class Memo: ManagedObject {
    @Identity var id: Int?
    var title: String = ""
    var text: String = ""
    var changed: Int = 0
    var rating: Double = 0
    var revision: Int = 0
    @Reference var labels: Set<Label>
}

@Entity final class Draft: ManagedObject {
    @Identity var id: Int?
    var reference: String = ""
    var title: String = ""
    var revision: Int = 0
    var etag: String?
    var updated: Date?
}

extension Folder: CollectionEntity {
    static var collection: String { "folders" }
    var number: Int? { id }
}

extension Note: CollectionEntity {
    static var collection: String { "notes" }
    var number: Int? { id }
}

extension Label: CollectionEntity {
    static var collection: String { "labels" }
    var number: Int? { id }
}

extension Memo: CollectionEntity {
    static var collection: String { "memos" }
    var number: Int? { id }
}

extension Draft: CollectionEntity {
    static var collection: String { "drafts" }
    var number: Int? { id }
}
