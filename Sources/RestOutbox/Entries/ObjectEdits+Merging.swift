// SPDX-License-Identifier: Apache-2.0

package import RestRows

extension ObjectEdits {
    /// Merges what a response brings.
    ///
    /// The properties of an attempt without an answer are left alone: an own write must not be taken for a
    /// conflict. An image that is taken in part does not change the version.
    package mutating func take(
        _ image: ObjectImage, version: StoredValue?, policy: EditPolicy, _ next: inout Int64
    ) {
        if entity.isOlder(version, than: self.version) || isRefuted(version) {
            // A replica that lags behind; the server is asked again.
            needsReading = true
            return
        }
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
        merge(image.filter { held[$0.key] == nil }, policy, &next)
        if isWhole {
            self.version = version
            needsReading = false
            endReading()
        } else {
            needsReading = true
        }
        reconcile(by: entries.last?.principal, &next)
    }

    /// Returns a Boolean value that indicates whether the server has another version by now, which it has said in its
    /// answer to a request: a replica that lags behind has brought the image.
    private func isRefuted(_ version: StoredValue?) -> Bool {
        guard let first = entries.first, first.state == .reading, first.conflictCount > 0 else {
            return false
        }
        return version != nil && version == self.version
    }

    /// Notes that the object was read after a conflict, and the image was not a newer one.
    mutating func noteRefutedReading(conflictLimit: Int) {
        guard let first = entries.first, first.state == .reading, first.conflictCount > 0 else {
            return
        }
        entries[0].conflictCount += 1
        if entries[0].conflictCount > conflictLimit { entries[0].state = .conflicted }
    }

    private mutating func endReading() {
        if entries.first?.state == .reading { entries[0].state = .waiting }
    }

    /// Merges values that the server has.
    ///
    /// A conflict about which no policy decides parks the open entry, or makes its edits another object.
    mutating func merge(_ image: ObjectImage, _ policy: EditPolicy, _ next: inout Int64) {
        guard let mine = local else { return }
        let carried = carried(after: -1)
        let edits = EditsToMerge(self, image, mine, carried)
        var merged: [String: EditMerge.Property] = [:]
        var conflicts: Set<String> = []
        let proposed = edits.proposal(by: policy, of: self)
        for (property, theirs) in image {
            guard carried.contains(property) else {
                local?[property] = theirs
                continue
            }
            guard let former = base[property] else { continue }
            let theirs = known(theirs, of: property, besides: former)
            base[property] = theirs
            guard let value = mine[property] else { continue }
            if entity.members[property] != nil { mergeClosedMembers(property, former, theirs) }
            // What a closed entry sends is not decided again.
            if isCarriedByClosedEntry(property), entity.members[property] == nil { continue }
            if unknown.remove(property) != nil { continue }
            let merge = policy.policy.merge(
                base: former, mine: value, theirs: theirs, as: entity.editKind(of: property)
            ) { base, mine, theirs in
                proposed[property] ?? policy.properties[property]?(base, mine, theirs)
            }
            switch merge {
            case .edit, .agreement: break
            case .discard: local?[property] = theirs
            case .merged(let value): local?[property] = value
            case .conflict: conflicts.insert(property)
            }
            if edits.contested.contains(property), merge != .conflict {
                merged[property] = EditMerge.Property(
                    base: former, local: value, server: theirs, result: local?[property] ?? .null)
            }
        }
        edit(proposed.filter { !edits.contested.contains($0.key) })
        if !merged.isEmpty {
            let sequence = openIndex.map { entries[$0].sequence } ?? entries.last?.sequence ?? 0
            report.merges.append(EditMerge(sequence: sequence, properties: merged))
        }
        if conflicts.isEmpty { return }
        if policy.isFork {
            fork(&next)
        } else if let openIndex {
            entries[openIndex].state = .conflicted
        }
    }

    private func isCarriedByClosedEntry(_ property: String) -> Bool {
        let open = openIndex
        return entries.indices.contains {
            $0 != open && entries[$0].state != .abandoned && entries[$0].values[property] != nil
        }
    }

    /// Gives the members of closed entries the members that the server has added, and takes away those that it
    /// has removed.
    private mutating func mergeClosedMembers(
        _ property: String, _ former: StoredValue, _ theirs: StoredValue
    ) {
        for index in entries.indices where entries[index].isClosed && entries[index].attempt == nil
        {
            guard let value = entries[index].values[property] else { continue }
            entries[index].values[property] =
                MemberSet.merging(base: former, mine: value, theirs: theirs) ?? value
        }
    }

    /// Edits properties besides those that are merged, because the function of the object says so.
    private mutating func edit(_ values: ObjectImage) {
        for (property, value) in values where local?[property] != value {
            guard entity.properties.contains(property), local?[property] != nil else { continue }
            if base[property] == nil { base[property] = local?[property] }
            local?[property] = value
        }
    }

    /// Moves the edits to another object, so that this one follows the server.
    private mutating func fork(_ next: inout Int64) {
        guard let index = openIndex else { return }
        report.fork = local
        report.forkPrincipal = entries[index].principal
        let before = left(before: index)
        // The destination of a cleared reference is deleted.
        for property in openValues.keys where cleared[property] == nil {
            local?[property] = before[property] ?? .null
        }
        reconcile(by: entries[index].principal, &next)
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
    ///
    /// - Parameters:
    ///   - identity: The identity of the object.
    ///   - image: Its values.
    ///   - version: Its version.
    ///   - isOwn: A Boolean value that indicates whether the request of the entry has created the object, so that a
    ///     deletion of the new one is one of the object.
    ///   - next: The number of the next entry or attempt.
    package mutating func adopt(
        _ identity: StoredValue, _ image: ObjectImage, version: StoredValue?,
        isOwn: Bool = false, _ next: inout Int64
    ) {
        guard let first = entries.first, first.kind == .creation else { return }
        // What the server does not show is sent again, unless there is nothing to send.
        var base = entity.synchronized(image)
        for property in (local ?? [:]).keys where base[property] == nil {
            base[property] = entity.members[property] == nil ? .null : MemberSet().stored
        }
        self.identity = identity
        self.version = version
        if local == nil {
            if isOwn {
                entries.removeFirst()
                return
            }
            // The user has deleted an object that this program never had on the server.
            (entries, self.base, unknown) = ([], [:], [])
            return
        }
        let isOpen = openIndex == 0
        entries[0].kind = .update
        entries[0].state = .waiting
        entries[0].existing = nil
        entries[0].mayExist = false
        entries[0].values = entries[0].values.filter { base[$0.key] != $0.value }
        self.base = base
        if !isOpen, entries[0].values.isEmpty { entries.removeFirst() }
        reconcile(by: first.principal, &next)
    }
}

/// The edits of an object that an image of the server concerns.
private struct EditsToMerge {
    /// The properties that both sides have changed, to different values.
    let contested: Set<String>
    private let image: ObjectImage
    private let local: ObjectImage

    init(
        _ edits: ObjectEdits, _ image: ObjectImage, _ local: ObjectImage, _ carried: Set<String>
    ) {
        self.image = image
        self.local = local
        contested = Set(
            image.filter { property, theirs in
                guard carried.contains(property), !edits.unknown.contains(property),
                    let former = edits.base[property], let value = local[property]
                else { return false }
                return theirs != former && theirs != value
            }.keys)
    }

    /// Returns the values that the function of the object proposes.
    func proposal(by policy: EditPolicy, of edits: ObjectEdits) -> ObjectImage {
        guard let combine = policy.object, !contested.isEmpty else { return [:] }
        let base = local.merging(edits.base) { $1 }
        let images = EditImages(
            base: base, local: local, server: base.merging(image) { $1 }, contested: contested)
        return combine(images)
    }
}
