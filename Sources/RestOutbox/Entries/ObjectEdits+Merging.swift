// SPDX-License-Identifier: Apache-2.0

package import RestRows

extension ObjectEdits {
    /// Merges what a response brings.
    ///
    /// The properties of an attempt without an answer are left alone: an own write must not be taken for a
    /// conflict. An image that is taken in part does not change the version.
    package mutating func take(
        _ image: ObjectImage, version: Int64?, policy: MergePolicy, _ next: inout Int64
    ) {
        let image = entity.synchronized(image)
        guard local != nil else {
            guard let last = entries.indices.last, entries[last].kind == .deletion else { return }
            for (property, theirs) in image {
                let former = entries[last].values[property]
                entries[last].values[property] = known(theirs, of: property, besides: former)
                guard let former = base[property] else { continue }
                base[property] = known(theirs, of: property, besides: former)
            }
            if entries[last].attempt == nil { self.version = version }
            endReading()
            return
        }
        let held = entries.first.flatMap { $0.attempt == nil ? nil : $0.values } ?? [:]
        let isWhole = held.isEmpty
        let isConflicted = merge(image.filter { held[$0.key] == nil }, policy)
        if isWhole {
            self.version = version
            needsReading = false
            endReading()
        } else {
            needsReading = true
        }
        if isConflicted, let openIndex { entries[openIndex].state = .conflicted }
        reconcile(by: entries.last?.principal, &next)
    }

    private mutating func endReading() {
        if entries.first?.state == .reading { entries[0].state = .waiting }
    }

    /// Merges values that the server has.
    ///
    /// - Returns: `true` if the policy leaves a decision to the user.
    @discardableResult mutating func merge(_ image: ObjectImage, _ policy: MergePolicy) -> Bool {
        guard let mine = local else { return false }
        let carried = carried(after: -1)
        let open = openIndex
        var isConflicted = false
        for (property, theirs) in image {
            guard carried.contains(property) else {
                local?[property] = theirs
                continue
            }
            let isClosed = entries.indices.contains {
                $0 != open && entries[$0].values[property] != nil
            }
            let former = base[property]
            let theirs = known(theirs, of: property, besides: former)
            // What a closed entry sends is not decided again.
            guard !isClosed, let former, let value = mine[property] else {
                if former != nil { base[property] = theirs }
                continue
            }
            base[property] = theirs
            if unknown.remove(property) != nil { continue }
            switch policy.merge(base: former, mine: value, theirs: theirs, isCounted: false) {
            case .edit, .agreement: break
            case .discard: local?[property] = theirs
            case .sum(let sum): local?[property] = sum
            case .conflict: isConflicted = true
            }
        }
        return isConflicted
    }

    /// Returns the value of a property on the server, given what a response brings.
    ///
    /// A response cannot bring a reference to an object whose row is deleted and whose deletion waits: the value is
    /// null then. Were it taken, an edit that takes the reference away would look done, and the server could delete
    /// the object together with the one that it refers to.
    func known(
        _ theirs: StoredValue, of property: String, besides former: StoredValue?
    ) -> StoredValue {
        guard theirs.isNull, entity.references[property] != nil, let former else { return theirs }
        return former
    }

    /// Adopts an object of the server in place of the new one, whose values become edits of it.
    package mutating func adopt(
        _ identity: StoredValue, _ image: ObjectImage, version: Int64?, _ next: inout Int64
    ) {
        guard let first = entries.first, first.kind == .creation else { return }
        let image = entity.synchronized(image)
        self.identity = identity
        self.version = version
        if local == nil {
            // The user has deleted an object that this program never had on the server.
            (entries, base, unknown) = ([], [:], [])
            return
        }
        let isOpen = openIndex == 0
        entries[0].kind = .update
        entries[0].state = .waiting
        entries[0].existing = nil
        entries[0].mayExist = false
        entries[0].values = entries[0].values.filter { image[$0.key] != $0.value }
        for (property, value) in image { base[property] = value }
        if !isOpen, entries[0].values.isEmpty { entries.removeFirst() }
        reconcile(by: first.principal, &next)
    }
}
