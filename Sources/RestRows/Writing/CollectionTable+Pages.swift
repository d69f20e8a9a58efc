// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The pages of walks.
extension CollectionTable {
    /// Writes a page of a walk with its members, unless it is as it is stored.
    ///
    /// - Parameters:
    ///   - index: The index of the page.
    ///   - isFirst: A Boolean value that indicates whether the page is the first one of the walk.
    ///   - facts: The facts about the page.
    ///   - response: The response.
    ///   - known: The collection; `nil` if it is not stored.
    ///   - changesRows: A Boolean value that indicates whether the transaction changes rows.
    /// - Returns: The changes of the walks that are held.
    /// - Throws: ``PersistenceError`` of the database.
    func writePage(
        _ index: Int, isFirst: Bool, _ facts: PageFacts, of response: CollectionResponse,
        over known: Row?, changesRows: Bool
    ) throws(PersistenceError) -> [CollectionRequest: HeldWalk?] {
        let walk = response.facts.walk
        // The pages of a walk that another one has replaced have no effect on the collection, nor
        // have those of a collection that was removed: their walk would seem to be complete.
        if !isFirst, known?.facts.walk.id != walk.id { return [:] }
        var page = response
        page.facts.walk = Self.continued(
            walk, after: isFirst ? nil : known?.facts.walk, page: index,
            at: response.fetchedAt)
        if let known, let isRepeated = try isUnchanged(page, index, isFirst, facts, known) {
            if isRepeated { page.facts.walk.reasons.insert(.repeatedObject) }
            // Another walk that is unfinished in the file would be continued in place of this one.
            let replacesOther = isFirst && known.noted.position != nil
            if !changesRows, !replacesOther {
                return [
                    response.request: HeldWalk(noted: known.noted.id, walk: page.facts.walk)
                ]
            }
            try note(page.facts.walk, of: known)
        } else {
            try write(page, index, isFirst, facts, known)
        }
        return [response.request: nil]
    }

    /// Returns the progress of a walk with a page.
    private static func continued(
        _ page: CollectionWalk, after former: CollectionWalk?, page index: Int, at date: Date
    ) -> CollectionWalk {
        var walk = page
        walk.nextPage = index + 1
        walk.startedAt = date
        if let former {
            walk.startedAt = former.startedAt ?? date
            walk.reasons.formUnion(former.reasons)
            if former.total != walk.total { walk.reasons.insert(.totalChanged) }
        }
        return walk
    }

    /// Returns a Boolean value that indicates whether a page that is as it is stored has members that are also
    /// on a page before; `nil` if it has changed something.
    private func isUnchanged(
        _ response: CollectionResponse, _ index: Int, _ isFirst: Bool, _ page: PageFacts,
        _ known: Row
    ) throws(PersistenceError) -> Bool? {
        let (facts, first) = (response.facts, known.pages.lowerBound)
        let isNext =
            isFirst
            ? known.isComplete && index == first
                && !facts.walk.reasons.contains(.laterStart)
            : index == known.facts.walk.nextPage
        guard isNext, !known.isComplete || known.pages.contains(index),
            facts.version == known.facts.version, facts.walk.total == known.noted.total,
            facts.nestedEntities.isSubset(of: known.facts.nestedEntities),
            facts.nestingDepth <= known.facts.nestingDepth,
            let stored = try storedPage(index, in: known.id)
        else { return nil }
        let members = Self.distinct(response.members)
        let own = try keys(of: known.id, page: index, walk: stored.writer)
        let isRepeated = own != members
        if isRepeated {
            let ownKeys = Set(own)
            let others = members.filter { !ownKeys.contains($0) }
            guard members.filter(ownKeys.contains) == own,
                try hasMembers(others, on: first..<index, in: known.id)
            else { return nil }
        }
        let values = Self.values(of: page, response, isRepeated: isRepeated)
        return values == stored.values ? isRepeated : nil
    }

    /// Writes a page of a walk that has changed something.
    private func write(
        _ response: CollectionResponse, _ index: Int, _ isFirst: Bool, _ page: PageFacts,
        _ known: Row?
    ) throws(PersistenceError) {
        var response = response
        var pages = index..<index + 1
        var seen = index..<index
        if !isFirst, let known {
            if index > known.facts.walk.nextPage {
                // The pages between are not known.
                response.facts.walk.reasons.insert(.laterStart)
            } else {
                let first = min(known.pages.lowerBound, index)
                seen = first..<index
                pages =
                    first..<max(index + 1, known.isComplete ? 0 : known.confirmedPages.upperBound)
            }
        }
        let id = try upsert(response, known, pages: pages, isComplete: false)
        let stored = try storedPage(index, in: id)
        let members = Self.distinct(response.members)
        if let stored, try keys(of: id, page: index, walk: stored.writer) == members {
            return try writePage(index, page, of: response, in: id, members: stored.writer)
        }
        let isRepeated = try insertMembers(of: response, page: index, in: id, seen: seen)
        try writePage(
            index, page, of: response, in: id, members: response.facts.walk.id,
            isRepeated: isRepeated)
        if isRepeated {
            response.facts.walk.reasons.insert(.repeatedObject)
            try run(
                "UPDATE \(Self.name) SET doubts = ?2 WHERE id = ?1",
                [.integer(id), Self.value(response.facts.walk.reasons)])
        }
    }

    /// Writes the progress of a walk over unchanged pages.
    func note(_ walk: CollectionWalk, of row: Row) throws(PersistenceError) {
        let end = row.isComplete ? row.pages.upperBound : max(row.pages.upperBound, walk.nextPage)
        try run(
            "UPDATE \(Self.name) SET walk = ?2, position = ?3, doubts = ?4, next_page = ?5, "
                + "started_at = ?6, end_page = ?7 WHERE id = ?1",
            [
                .integer(row.id), .integer(walk.id), walk.position.map { .data($0) } ?? .null,
                Self.value(walk.reasons), .integer(Int64(walk.nextPage)),
                Self.value(walk.startedAt), .integer(Int64(end)),
            ])
    }
}
