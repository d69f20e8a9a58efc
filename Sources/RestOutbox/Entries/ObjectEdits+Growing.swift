// SPDX-License-Identifier: Apache-2.0

import RestRows
package import RestTransport

/// The growth of entries with saves.
///
/// | open entry | and then | becomes |
/// |---|---|---|
/// | creation | update | the creation with the new values |
/// | creation without uncertain send | deletion | nothing |
/// | update | update | the union, without properties that are back at their base |
/// | update | deletion | the deletion |
/// | deletion | insertion of the same identity | an update from the deleted values |
/// | any, saved under another principal | save | the next entry of the object |
///
/// A save that changes a refused entry makes it wait for its turn again.
extension ObjectEdits {
    /// Notes the insertion of the object.
    ///
    /// An object whose deletion has not been attempted becomes the deleted one with other values.
    ///
    /// - Returns: `false` if an attempted deletion must end first, so that the object is another one.
    package mutating func insert(
        _ image: ObjectImage, by principal: Principal?, _ next: inout Int64
    ) -> Bool {
        let image = entity.synchronized(image)
        if entries.isEmpty, local == nil {
            local = image
            entries.append(OutboxEntry(sequence: next, kind: .creation, principal: principal))
            next += 1
            return true
        }
        guard let index = openIndex, entries[index].kind == .deletion,
            entries[index].principal == principal
        else { return false }
        let deleted = entries[index].values
        let before = left(before: index)
        entries[index].kind = .update
        entries[index].values = [:]
        entries[index].state = .waiting
        for (property, value) in image
        where before[property] == nil
            && (deleted[property] != value || unknown.contains(property))
        {
            base[property] = deleted[property] ?? .null
        }
        local = image
        reconcile(by: principal, &next)
        return true
    }

    /// Notes changed values of the object.
    package mutating func update(
        _ changes: ObjectImage, by principal: Principal?, _ next: inout Int64
    ) {
        guard var image = local else { return }
        let changes = entity.synchronized(changes).filter { image[$0.key] != $0.value }
        if changes.isEmpty { return }
        closeIfSaved(byOtherThan: principal, &next)
        let isNew = openIndex.map { entries[$0].kind == .creation } ?? false
        let before = left(before: openIndex ?? entries.count)
        for (property, value) in changes {
            if !isNew, before[property] == nil { base[property] = image[property] ?? .null }
            image[property] = value
            cleared[property] = nil
        }
        local = image
        if let openIndex {
            entries[openIndex].isRemainder = false
            if entries[openIndex].state.isParked { entries[openIndex].state = .waiting }
        }
        reconcile(by: principal, &next)
    }

    /// Notes the deletion of the object.
    ///
    /// - Returns: The entries that are void, because the server will never have the object.
    @discardableResult package mutating func delete(
        by principal: Principal?, _ next: inout Int64
    ) -> [OutboxEntry] {
        guard let image = local else { return [] }
        if let first = entries.first, first.kind == .creation, first.attempt == nil,
            !first.mayExist
        {
            let void = entries
            (local, entries, base, unknown) = (nil, [], [:], [])
            return void
        }
        closeIfSaved(byOtherThan: principal, &next)
        if let openIndex, entries[openIndex].kind == .creation { close(&next) }
        let deleted = image.merging(left(before: openIndex ?? entries.count)) { $1 }
        // The deletion is behind all that others have saved before it.
        if let openIndex { entries.remove(at: openIndex) }
        var entry = OutboxEntry(sequence: next, kind: .deletion, principal: principal)
        next += 1
        entry.values = deleted
        entries.append(entry)
        local = nil
        reconcile(by: principal, &next)
        return []
    }

    /// Removes an object that the server does not have from the values of entries.
    mutating func removeReferences(
        to object: EditedObject, of kind: SentEntity, _ next: inout Int64
    ) {
        let key = StoredValue.integer(object.key)
        let principal = entries.last?.principal
        for (property, reference) in entity.references
        where kind.isKind(of: reference.destination) {
            for index in entries.indices where entries[index].isClosed {
                guard entries[index].values[property] == key else { continue }
                let isUnsent = entries[index].kind == .update && entries[index].attempt == nil
                entries[index].values[property] = isUnsent ? nil : .null
            }
            if let index = deletionIndex, entries[index].values[property] == key {
                entries[index].values[property] = .null
            }
            if base[property] == key { base[property] = .null }
            if local?[property] == key { local?[property] = .null }
        }
        for (property, members) in entity.members where kind.isKind(of: members.destination) {
            func removeMember(from value: inout StoredValue?) {
                guard let known = value, var set = MemberSet(known) else { return }
                set.keys.remove(object.key)
                value = set.stored
            }
            for index in entries.indices where entries[index].isClosed {
                removeMember(from: &entries[index].values[property])
            }
            if let index = deletionIndex { removeMember(from: &entries[index].values[property]) }
            removeMember(from: &base[property])
            var shown = local?[property]
            removeMember(from: &shown)
            if let shown { local?[property] = shown }
        }
        entries.removeAll {
            $0.kind == .update && $0.isClosed && $0.attempt == nil && $0.values.isEmpty
        }
        reconcile(by: principal, &next)
    }

    /// Changes what the first entry sends, which is closed and has no attempt.
    ///
    /// The object shows the values unless a later entry changes them again.
    mutating func amend(_ values: ObjectImage, _ next: inout Int64) {
        let values = entity.synchronized(values)
        let later = carried(after: 0)
        for (property, value) in values {
            if entries[0].kind != .creation, base[property] == nil {
                base[property] = local?[property] ?? .null
            }
            entries[0].values[property] = value
            if !later.contains(property) { local?[property] = value }
        }
        entries[0].state = .waiting
        reconcile(by: entries.last?.principal, &next)
    }

    private mutating func closeIfSaved(
        byOtherThan principal: Principal?, _ next: inout Int64
    ) {
        guard let openIndex, entries[openIndex].principal != principal else { return }
        close(&next)
    }
}

extension ObjectEdits {
    /// Notes that a delete rule has cleared references, which their deletion restores if it is discarded.
    package mutating func noteCleared(_ references: [String: Int64]) {
        for (property, key) in references where local?[property] == .null && base[property] != nil {
            cleared[property] = key
        }
    }

    /// Restores the references that the deletion of an object has cleared.
    mutating func restoreReferences(
        to object: EditedObject, of kind: SentEntity, _ next: inout Int64
    ) {
        let restored = cleared.filter { property, key in
            guard let reference = entity.references[property] else { return false }
            return kind.isKind(of: reference.destination) && key == object.key
        }
        if restored.isEmpty { return }
        for property in restored.keys {
            local?[property] = .integer(object.key)
            cleared[property] = nil
        }
        follow(Set(restored.keys), before: openIndex ?? entries.count)
        reconcile(by: entries.last?.principal, &next)
    }

    /// Replaces an object in all values by the one that has taken over its row.
    mutating func replaceReferences(
        to object: EditedObject, by key: Int64, of kind: SentEntity
    ) {
        let references = entity.references.filter { kind.isKind(of: $0.value.destination) }
        let members = entity.members.filter { kind.isKind(of: $0.value.destination) }
        func replace(in image: inout ObjectImage) {
            for property in references.keys where image[property] == .integer(object.key) {
                image[property] = .integer(key)
            }
            for property in members.keys {
                guard var set = image[property].flatMap(MemberSet.init),
                    set.keys.remove(object.key) != nil
                else { continue }
                set.keys.insert(key)
                image[property] = set.stored
            }
        }
        if var image = local {
            replace(in: &image)
            local = image
        }
        replace(in: &base)
        for index in entries.indices { replace(in: &entries[index].values) }
        for property in references.keys where cleared[property] == object.key {
            cleared[property] = key
        }
    }
}
