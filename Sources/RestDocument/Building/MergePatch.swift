// SPDX-License-Identifier: Apache-2.0

extension Document {
    /// Returns this document with the changes of a merge patch.
    ///
    /// A member of the patch replaces the member of the same name, and removes it if its value is
    /// `null`. Objects are patched member by member at every depth. A patch that is not an object
    /// replaces the document.
    ///
    /// - Parameter patch: The merge patch. A repeated name has its last value.
    /// - Returns: The changed document. Members keep the order of this document; new members follow
    ///   in the order of the patch.
    /// - Complexity: O(*n*) in the size of both documents, in expectation. The recursion is as deep
    ///   as the objects of the patch.
    /// - Source: RFC 7396 §2.
    public func applying(mergePatch patch: Document) -> Document {
        var builder = DocumentBuilder()
        builder.apply(patch.root, to: root)
        return builder.finish()
    }

    /// Returns the smallest merge patch that changes another document into this one.
    ///
    /// ```swift
    /// let article: Document = ["title": "Old", "tags": ["new"], "note": "Draft"]
    /// let edited: Document = ["title": "New", "tags": ["new"]]
    /// edited.mergePatch(from: article)      // {"title":"New","note":null}
    /// ```
    ///
    /// A merge patch cannot set a member of an object to `null`, because `null` removes the member.
    /// Therefore a member that is `null` counts as missing, except inside of arrays, which a patch
    /// replaces as a whole.
    ///
    /// - Parameter base: The document that the patch is for.
    /// - Returns: The patch, or `nil` if nothing changes.
    /// - Complexity: O(*n* log *n*) in the size of both documents, in expectation. The recursion is
    ///   as deep as the objects that both documents share.
    /// - Source: RFC 7396 §2.
    public func mergePatch(from base: Document) -> Document? {
        guard let change = MergeChange(from: base.root, to: root) else { return nil }
        var builder = DocumentBuilder()
        builder.write(change)
        return builder.finish()
    }
}

/// The difference between two values, as a merge patch can express it.
private enum MergeChange {
    case replacement(Node)
    case removal
    case members([(name: String, change: MergeChange)])

    /// Creates the difference between two values of a member, each `nil` if it is missing.
    ///
    /// Returns `nil` for values without a difference.
    init?(from base: Node?, to value: Node?) {
        let base = base.flatMap { $0.kind == .null ? nil : $0 }
        guard let value, value.kind != .null else {
            guard base != nil else { return nil }
            self = .removal
            return
        }
        guard let base, base.kind == .object, value.kind == .object else {
            if base == value { return nil }
            self = .replacement(value)
            return
        }
        let old = DistinctMembers(base)
        let new = DistinctMembers(value)
        var changes: [(name: String, change: MergeChange)] = []
        for (name, value) in new {
            guard let change = MergeChange(from: old[name], to: value) else { continue }
            changes.append((name, change))
        }
        for (name, value) in old where new[name] == nil {
            guard let change = MergeChange(from: value, to: nil) else { continue }
            changes.append((name, change))
        }
        if changes.isEmpty { return nil }
        self = .members(changes)
    }
}

extension DocumentBuilder {
    fileprivate mutating func write(_ change: MergeChange) {
        switch change {
        case .replacement(let node): value(node)
        case .removal: null()
        case .members(let changes):
            beginObject()
            for (name, change) in changes {
                key(name)
                write(change)
            }
            end()
        }
    }

    fileprivate mutating func apply(_ patch: Node, to target: Node?) {
        guard patch.kind == .object else { return value(patch) }
        let changes = DistinctMembers(patch)
        beginObject()
        if let target, target.kind == .object {
            let members = DistinctMembers(target)
            for (name, member) in members {
                apply(changes[name], to: member, named: name)
            }
            for (name, change) in changes where members[name] == nil {
                apply(change, to: nil, named: name)
            }
        } else {
            for (name, change) in changes { apply(change, to: nil, named: name) }
        }
        end()
    }

    /// Adds a member with a change, unless the change removes the member.
    private mutating func apply(_ change: Node?, to member: Node?, named name: String) {
        if let change {
            if change.kind == .null { return }
            key(name)
            apply(change, to: member)
        } else if let member {
            key(name)
            value(member)
        }
    }
}
