// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestRows
import RestTransport

/// The unsent edits of one object: its entries in order, and what the server had when they were made.
///
/// All entries but the last one are closed. What an entry changes is compared with what the entries before it
/// will leave, and only for the first one with what the server has.
package struct ObjectEdits: Sendable, Hashable {
    package let entity: SentEntity
    /// The values that the store shows; `nil` if the object is deleted.
    package var local: ObjectImage?
    /// The values that the server had, of the properties with edits.
    package internal(set) var base: ObjectImage = [:]
    /// The properties of which it is not known what the server has.
    package internal(set) var unknown: Set<String> = []
    /// The entries in the order in which they are sent.
    package internal(set) var entries: [OutboxEntry] = []
    /// The identity that the server has given to the object; `nil` if it has none yet.
    package var identity: StoredValue?
    /// The version of the server on which the next request is based.
    package var version: StoredValue?
    /// The time until which an earlier request may still be executed.
    package var quietUntil: Date?
    /// The time until which an earlier request may still create the object anew once it is deleted.
    package var revivalEnd: Date?
    /// A Boolean value that indicates whether the server may have other values than the store shows.
    package var needsReading = false
    /// The deleted objects to which references of edited properties were cleared by a delete rule, by property.
    package internal(set) var cleared: [String: Int64] = [:]
    /// The decisions of the present step, which the queue takes after it.
    var report = EditReport()

    /// Creates the edits of an object that the server has; none yet.
    package init(
        _ entity: SentEntity, local: ObjectImage?, identity: StoredValue? = nil,
        version: StoredValue? = nil
    ) {
        self.entity = entity
        self.local = local.map(entity.synchronized)
        self.identity = identity
        self.version = version
    }

    /// Creates edits that were stored.
    package init(
        stored entity: SentEntity, local: ObjectImage?, base: ObjectImage, unknown: Set<String>,
        cleared: [String: Int64] = [:], entries: [OutboxEntry]
    ) {
        self.cleared = cleared
        self.entity = entity
        self.local = local.map(entity.synchronized)
        self.base = base
        self.unknown = unknown
        self.entries = entries
    }

    /// The version of an object that was read just now and has none; the next request is not based on it again.
    package static let justRead = StoredValue.text("")

    // MARK: Values

    /// Returns what the entries before one will leave: the values of edited properties, and of a new object
    /// all of them.
    package func left(before index: Int) -> ObjectImage {
        var image = base
        // What an abandoned entry leaves is not known, and read once its request has ended.
        for entry in entries[..<index] where entry.state != .abandoned {
            switch entry.kind {
            case .creation, .update: image.merge(entry.values) { $1 }
            case .deletion: image = [:]
            case .command: break
            }
        }
        return image
    }

    /// The index of the entry that saves change; `nil` if the next save opens one.
    package var openIndex: Int? {
        guard let last = entries.indices.last, entries[last].isOpen else { return nil }
        return last
    }

    /// The values of the open entry, or those of the entry that is to be opened.
    package var openValues: ObjectImage {
        guard let local else { return [:] }
        let index = openIndex ?? entries.count
        if index < entries.count, entries[index].kind == .creation { return local }
        let before = left(before: index)
        return local.filter { property, value in
            guard let former = before[property] else { return false }
            if value != former { return true }
            return unknown.contains(property)
                && !entries[..<index].contains {
                    $0.state != .abandoned && $0.values[property] != nil
                }
        }
    }

    /// Returns the values that an entry sends.
    package func values(at index: Int) -> ObjectImage {
        index == openIndex && entries[index].kind != .deletion
            ? openValues : entries[index].values
    }

    /// Returns the names of the properties that entries after one send.
    func carried(after index: Int) -> Set<String> {
        var names: Set<String> = []
        for later in entries.indices where later > index && entries[later].kind != .deletion {
            if entries[later].state == .abandoned { continue }
            names.formUnion(values(at: later).keys)
        }
        return names
    }

    /// A Boolean value that indicates whether the server does not have the object yet.
    package var awaitsCreation: Bool { entries.first?.kind == .creation }
    /// A Boolean value that indicates whether the object will be deleted.
    package var awaitsDeletion: Bool { entries.contains { $0.kind == .deletion } }
    /// A Boolean value that indicates whether nothing has to be remembered.
    package var isSettled: Bool {
        entries.isEmpty && base.isEmpty && !needsReading && quietUntil == nil
    }

    /// Returns the time until which the next request has to wait for earlier ones; `nil` if it has not.
    package func quietEnd(before entry: OutboxEntry) -> Date? {
        guard entry.kind == .deletion, let revivalEnd else { return quietUntil }
        return max(quietUntil ?? revivalEnd, revivalEnd)
    }

    // MARK: Consistency

    /// Opens, keeps or removes the last entry, so that it sends all edits that the entries before it do not
    /// send.
    mutating func reconcile(
        by principal: Principal?, isRemainder: Bool = false, _ next: inout Int64
    ) {
        let values = openValues
        if let index = openIndex {
            if entries[index].kind == .update, values.isEmpty { entries.remove(at: index) }
        } else if !values.isEmpty {
            var entry = OutboxEntry(sequence: next, kind: .update, principal: principal)
            next += 1
            entry.isRemainder = isRemainder
            entries.append(entry)
        }
        let carried = carried(after: -1)
        base = base.filter { carried.contains($0.key) }
        if !cleared.isEmpty {
            cleared = cleared.filter { carried.contains($0.key) && local?[$0.key] == .null }
        }
        if !awaitsDeletion { unknown.formIntersection(carried) }
    }

    /// Closes the open entry, which keeps its values.
    ///
    /// References that a request need not contain become an entry of their own, so that circles of references
    /// between new objects can be sent.
    mutating func close(_ next: inout Int64) {
        guard let index = openIndex else { return }
        let values = values(at: index)
        entries[index].isClosed = true
        entries[index].values = values
        if entries[index].kind == .deletion { return }
        let none = MemberSet().stored
        let separate = values.filter { property, value in
            entity.isSeparable(property) && !value.isNull
                && (value != none || entries[index].kind != .creation)
        }
        if separate.isEmpty { return }
        let before = left(before: index)
        let kind = entries[index].kind
        entries[index].values = without(separate, in: values, kind)
        var rests = memberwiseValues(separate, since: kind == .creation ? [:] : before)
        let others = separate.filter { entity.members[$0.key]?.isMemberwise != true }
        if !others.isEmpty { rests.insert(others, at: 0) }
        for values in rests {
            var rest = OutboxEntry(
                sequence: next, kind: .update, principal: entries[index].principal)
            next += 1
            rest.isClosed = true
            rest.values = values
            entries.append(rest)
        }
        if entries[index].values.isEmpty { entries.remove(at: index) }
    }

    /// Returns the values of the requests that each add or remove one member.
    private func memberwiseValues(
        _ values: ObjectImage, since before: ObjectImage
    ) -> [ObjectImage] {
        var images: [ObjectImage] = []
        for (property, value) in values.sorted(by: { $0.key < $1.key })
        where entity.members[property]?.isMemberwise == true {
            guard let new = MemberSet(value)?.keys else { continue }
            var sent = before[property].flatMap { MemberSet($0)?.keys } ?? []
            for key in sent.symmetricDifference(new).sorted() {
                sent.formSymmetricDifference([key])
                images.append([property: MemberSet(sent).stored])
            }
        }
        return images
    }

    /// Returns values without those that follow later; a new object is created with null or without members in
    /// their place.
    func without(
        _ later: ObjectImage, in values: ObjectImage, _ kind: OutboxEntry.Kind
    ) -> ObjectImage {
        var values = values
        for property in later.keys {
            let absent = entity.members[property] == nil ? StoredValue.null : MemberSet().stored
            values[property] = kind == .creation ? absent : nil
        }
        return values
    }
}
