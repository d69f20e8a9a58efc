// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A search for the records in a response.
struct RecordsLocator {
    /// A list of objects, or an object whose values are objects.
    private struct Candidate {
        let path: DocumentPath
        let view: NodeView
        let isKeyed: Bool
        var score: Int
        var reasons: [String]
    }

    /// Keys of envelopes, the most customary first.
    private static let envelopes: Set<String> = [
        "data", "results", "items", "records", "value", "values", "entries", "rows", "list",
        "content", "elements", "objects", "resources", "hits", "documents", "docs", "result",
        "response", "collection", "member", "hydra:member", "nodes", "edges", "children",
        "statuses", "features", "entities", "payload", "body", "_embedded",
    ]

    /// Keys of values about a list or a response.
    static let aboutLists: Set<String> = [
        "next", "previous", "prev", "first", "last", "count", "total", "page", "pages", "limit",
        "offset", "size", "links", "_links", "meta", "metadata", "cursor", "cursors", "paging",
        "pagination", "page_info", "info", "has_more", "has_next", "object", "took", "timed_out",
        "_shards", "success", "status", "ok", "error", "errors", "message", "jsonapi", "number",
        "sort", "included", "per_page", "current_page", "last_page", "from", "to", "path",
        "@odata.context", "@odata.count", "@odata.nextlink", "search_metadata", "totals",
        "response_metadata", "incomplete_results", "url", "numfound", "numfoundexact", "num_found",
        "start", "q", "query", "continue", "batchcomplete", "totalresults", "total_results", "more",
        "nbhits", "nbpages", "hitsperpage",
    ]

    /// Returns a Boolean value that indicates whether a key names no kind of records.
    static func isEnvelope(_ key: String) -> Bool { envelopes.contains(key.lowercased()) }

    private let names: [String]
    private let isItem: Bool
    private var candidates: [Candidate] = []

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - names: The names of the resource, such as the last components of its path.
    ///   - isItem: A Boolean value that indicates whether the path ends with an identity.
    init(names: [String], isItem: Bool) {
        self.names = names
        self.isItem = isItem
    }

    /// Returns the location of the records; `nil` if the response has none.
    mutating func plan(_ root: NodeView) -> RecordsPlan? {
        if root.isArray {
            guard root.elements.contains(where: \.isObject) else { return nil }
            return RecordsPlan(path: .root, evidence: "the document is a list")
                .refined(root)
        }
        guard root.isObject else { return nil }
        if root.isKeyedRecords {
            return RecordsPlan(
                path: .root, isKeyed: true,
                evidence: "the values of the document are objects with identities as keys"
            ).refined(root)
        }
        collect(root, .root, depth: 0)
        let single = singleRecord(root)
        // The only list of objects in a document that is no object with an identity is what it is about.
        if candidates.count == 1, !root.hasIdentity, !isItem {
            candidates[0].score += 2
            candidates[0].reasons.append("it is the only list of objects")
        }
        guard
            let best = candidates.max(by: {
                ($0.score, -$0.path.components.count) < ($1.score, -$1.path.components.count)
            }),
            best.score > single.score
        else {
            if candidates.isEmpty, isEmptyList(root) { return nil }
            var plan = RecordsPlan(path: single.path, isSingle: true, evidence: single.reason)
            plan.sides = []
            return plan.refined(root)
        }
        var plan = RecordsPlan(
            path: best.path, isKeyed: best.isKeyed, evidence: best.reasons.joined(separator: ", "))
        plan.sides = sides(beside: best)
        return plan.refined(root)
    }

    private mutating func collect(_ view: NodeView, _ path: DocumentPath, depth: Int) {
        guard depth < 3 else { return }
        for (keyView, value) in view.members {
            let key = keyView.string() ?? ""
            let inner = path.appending(key: key)
            if value.isArray, value.elements.contains(where: \.isObject) {
                candidates.append(
                    scored(
                        Candidate(path: inner, view: value, isKeyed: false, score: 0, reasons: []),
                        key, view))
            } else if value.isObject {
                if value.isKeyedRecords {
                    candidates.append(
                        scored(
                            Candidate(
                                path: inner, view: value, isKeyed: true, score: -1, reasons: []),
                            key, view))
                } else if !value.hasIdentity {
                    collect(value, inner, depth: depth + 1)
                }
            }
        }
    }

    private func scored(_ candidate: Candidate, _ key: String, _ parent: NodeView) -> Candidate {
        var candidate = candidate
        if names.contains(where: { Words.areEqual($0, key) }) {
            candidate.score += 4
            candidate.reasons.append("`\(key)` is the name of the resource")
        }
        if Self.envelopes.contains(key.lowercased()) {
            candidate.score += 3
            candidate.reasons.append("`\(key)` is a customary key of lists")
        }
        let siblings = parent.members.filter {
            Self.aboutLists.contains(($0.key.string() ?? "").lowercased())
        }
        if !siblings.isEmpty {
            candidate.score += 2
            let names = siblings.prefix(3).map { "`\($0.key.string() ?? "")`" }
            candidate.reasons.append("beside it " + names.joined(separator: ", "))
        }
        let first =
            candidate.isKeyed
            ? Array(candidate.view.members.prefix(1).map(\.value))
            : Array(candidate.view.elements.prefix(1))
        if first.contains(where: \.hasIdentity) {
            candidate.score += 2
            candidate.reasons.append("its elements have an identity")
        }
        let count = candidate.view.count
        candidate.score += count > 50 ? 2 : count > 3 ? 1 : 0
        candidate.reasons.append("\(count) elements")
        candidate.score -= candidate.path.components.count - 1
        return candidate
    }

    /// Returns how much a response looks like one record, and where the record is.
    private func singleRecord(_ root: NodeView) -> (path: DocumentPath, score: Int, reason: String)
    {
        let keys = root.members.map { ($0.key.string() ?? "").lowercased() }
        for (keyView, value) in root.members {
            let key = keyView.string() ?? ""
            let isEnvelope = Self.envelopes.contains(key.lowercased()) && value.isObject
            if isEnvelope, !value.isKeyedRecords, value.hasIdentity,
                keys.allSatisfy({ $0 == key.lowercased() || Self.aboutLists.contains($0) })
            {
                return (DocumentPath([.key(key)]), 5, "`\(key)` is one object")
            }
        }
        let scalars = root.members.count { key, value in
            !value.kind.isContainer && !Self.aboutLists.contains((key.string() ?? "").lowercased())
        }
        var score = scalars >= 4 ? 3 : scalars >= 2 ? 1 : 0
        if root.hasIdentity { score += 4 }
        if isItem { score += 3 }
        return (.root, score, "the document is one object")
    }

    /// Returns a Boolean value that indicates whether a response is an envelope without records.
    private func isEmptyList(_ root: NodeView) -> Bool {
        !isItem
            && root.members.contains { key, value in
                let key = key.string() ?? ""
                let isList =
                    Self.envelopes.contains(key.lowercased())
                    || names.contains { Words.areEqual($0, key) }
                return isList && (value.isArray && value.count == 0 || value.isNull)
            }
    }

    /// Returns the lists beside the records whose elements have an identity of their own.
    private func sides(beside best: Candidate) -> [RecordsPlan.Side] {
        let parent = best.path.components.dropLast()
        return candidates.compactMap { candidate in
            // Lists of a wider envelope belong to the records as well, as users to the topics of a forum.
            guard candidate.path != best.path,
                parent.starts(with: candidate.path.components.dropLast()),
                case .key(let key) = candidate.path.components.last
            else { return nil }
            let elements =
                candidate.isKeyed
                ? Array(candidate.view.members.map(\.value)) : Array(candidate.view.elements)
            guard elements.allSatisfy(\.hasIdentity) else { return nil }
            let isTyped =
                !candidate.isKeyed
                && elements.allSatisfy { $0.member("type")?.kind == .string && key == "included" }
            return RecordsPlan.Side(
                name: key, path: candidate.path, isKeyed: candidate.isKeyed, isTyped: isTyped)
        }
    }
}

extension NodeView {
    /// A Boolean value that indicates whether an object has a member that is named like its number.
    var hasIdentity: Bool {
        isObject
            && members.contains { key, value in
                IdentityNames.isStrong(key.string() ?? "")
                    && (value.kind.isNumber || value.kind.isString)
            }
    }

    /// A Boolean value that indicates whether an object contains records as its values.
    var isKeyedRecords: Bool {
        guard isObject, count >= 2 else { return false }
        let sample = members.prefix(50)
        return sample.allSatisfy { $0.value.isObject && $0.value.count > 1 }
            && sample.allSatisfy { IdentityNames.isIdentifier($0.key.string() ?? "") }
    }
}

extension RecordsPlan {
    /// The keys of objects that contain the members of a record.
    private static let innerKeys = ["attributes", "fields", "_source", "data"]

    /// Returns the plan with the wrapper and the merged objects that all records have.
    fileprivate func refined(_ root: NodeView) -> RecordsPlan {
        var plan = self
        guard let container = root.member(at: path) else { return plan }
        let records: [NodeView] =
            isSingle
            ? [container]
            : isKeyed
                ? container.members.prefix(50).map(\.value) : Array(container.elements.prefix(50))
        let objects = records.filter(\.isObject)
        guard !objects.isEmpty, objects.count == records.count else { return plan }
        if !isSingle, let key = Self.commonWrapper(objects) {
            plan.wrapper = key
            return plan
        }
        plan.merge = Self.innerKeys.filter { key in
            objects.allSatisfy { object in
                guard let inner = object.member(key), inner.isObject, object.count <= 8 else {
                    return false
                }
                return object.hasIdentity ? key != "data" : inner.hasIdentity
            }
        }
        return plan
    }

    /// Returns the key of the only member of all elements, or `node` of edges.
    private static func commonWrapper(_ objects: [NodeView]) -> String? {
        if let key = objects[0].members.first(where: { $0.value.isObject })?.key.string(),
            objects.allSatisfy({ $0.count == 1 && $0.member(key)?.isObject == true })
        {
            return key
        }
        let areEdges = objects.allSatisfy { object in
            object.member("node")?.isObject == true && object.count <= 2
        }
        return areEdges ? "node" : nil
    }
}
