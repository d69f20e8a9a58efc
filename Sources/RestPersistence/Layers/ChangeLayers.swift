// SPDX-License-Identifier: Apache-2.0

/// The unsaved changes of a context, in layers: those of its parents, those that are being written, and
/// those that are made now.
///
/// It cannot be copied, so that reading a part never retains all of them.
struct ChangeLayers: ~Copyable {
    let model: ManagedObjectModel
    /// The changes below ``top``, bottom first: those of the parents, and those that are being
    /// written.
    var lower: [ChangeSet]
    /// The unsaved changes, without those that are being written.
    var top: ChangeSet
    /// The changes that are being written; they are the last of ``lower`` as well.
    var sealed: SealedChanges?
    /// The saved changes of a context with the role `transfer`.
    var transferred: ChangeSet
    /// The version of the parent's changes that ``lower`` has.
    var parentVersion = 0
    /// The record of which unsaved changes have changed.
    private(set) var journal: ChangeJournal
    /// The rows of the unsaved changes, which evictions keep; `nil` for contexts of transactions and
    /// snapshots.
    let unsavedKeys: UnsavedKeys?
    /// The closures that are called when unsaved values may have changed; a closure that returns
    /// `false` is removed.
    var changeHandlers: [() -> Bool] = []
    /// The composition of all layers by table, for the version of the journal.
    private var compositions: [Int: (version: Int, changes: TableChanges)] = [:]
    private var linkCompositions: [Int: (version: Int, changes: LinkChanges)] = [:]
    /// The rows with edits whose values below them others have changed since, by table.
    var rowsChangedBelow: [Int: Set<Int64>] = [:]
    /// A Boolean value that indicates whether unsaved values may be NaN, which SQLite reads as null.
    var hasUnstorableValues = false

    init(_ lower: [ChangeSet], in model: ManagedObjectModel, trackedBy unsavedKeys: UnsavedKeys?) {
        self.model = model
        self.lower = lower
        self.unsavedKeys = unsavedKeys
        top = ChangeSet(model: model)
        transferred = ChangeSet(model: model)
        journal = ChangeJournal(model: model)
    }

    /// A Boolean value that indicates whether there are unsaved changes above those of the parents.
    var hasChanges: Bool { !top.isEmpty || sealed != nil }

    /// All layers, bottom first, as a child has them below its own.
    var all: [ChangeSet] { lower + [top] }

    /// The layers of this context without those of its parents, top first.
    var own: [ChangeSet] { sealed.map { [top, $0.changes] } ?? [top] }

    // MARK: Changing

    /// Changes a row of the top layer.
    mutating func update(_ table: Int, _ key: Int64, _ body: (inout TableChanges) -> Void) {
        top.update(table, body)
        record { $0.record(key, table) }
    }

    /// Changes many rows of the top layer; with `nil`, any of them.
    mutating func updateMany(
        _ table: Int, keys: [Int64]?, _ body: (inout TableChanges) -> Void
    ) {
        top.update(table, body)
        record { $0.recordAll(table, keys: keys) }
    }

    /// Changes a destination of a relationship with a join table, in the top layer.
    mutating func setLink(
        from owner: Int64, to destination: Int64, of relationship: RelationshipLayout,
        _ change: LinkChange
    ) {
        guard case .link(let link, _) = relationship.storage else {
            preconditionFailure("\(relationship.name) has no join table")
        }
        relationship.forEachRow(from: owner, to: destination, change) { pair, change in
            top.updateLink(link) { $0.set(pair, change) }
            record { $0.record(pair, link) }
        }
    }

    /// Records changes in the journal, and their rows for evictions.
    mutating func record(_ body: (inout ChangeJournal) -> Void) {
        body(&journal)
        trackLastChange()
    }

    /// Forgets the changes of the top layer.
    mutating func removeTop() {
        top = ChangeSet(model: model)
        rowsChangedBelow = [:]
    }

    // MARK: Sealing

    /// Moves the top layer below, while it is being written.
    mutating func seal(at commit: CommitFeed.Node) {
        sealed = SealedChanges(changes: top, lastCommit: commit)
        lower.append(top)
        top = ChangeSet(model: model)
    }

    /// Removes the changes that were being written, and returns them; `nil` if there are none.
    mutating func unseal() -> SealedChanges? {
        guard let sealed else { return nil }
        self.sealed = nil
        lower.removeLast()
        return sealed
    }

    // MARK: Compositions

    /// Returns the changes of a table in all layers, with the values that objects have.
    ///
    /// Without changes below the top they are those of the top; otherwise they are composed when the
    /// changes have changed.
    mutating func effectiveChanges(of table: Int) -> TableChanges {
        guard lower.contains(where: { $0.tables[table].count > 0 }) else {
            return top.tables[table]
        }
        if let known = compositions[table], known.version == journal.version {
            return known.changes
        }
        var changes = TableChanges(width: model.tables[table].width)
        for layer in lower { changes.absorb(layer.tables[table], addsCounts: false) }
        changes.absorb(top.tables[table], addsCounts: false)
        compositions[table] = (journal.version, changes)
        return changes
    }

    /// Returns the changes of a join table in all layers.
    mutating func effectiveLinks(of link: Int) -> LinkChanges {
        guard lower.contains(where: { !$0.links[link].isEmpty }) else { return top.links[link] }
        if let known = linkCompositions[link], known.version == journal.version {
            return known.changes
        }
        var changes = LinkChanges()
        for layer in lower { changes.absorb(layer.links[link]) }
        changes.absorb(top.links[link])
        linkCompositions[link] = (journal.version, changes)
        return changes
    }
}
