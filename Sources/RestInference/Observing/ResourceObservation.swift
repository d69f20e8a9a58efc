// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The responses of a resource.
struct ResourceObservation: Sendable {
    /// The template of its paths.
    let template: PathTemplate
    /// The name that the caller gave; `nil` to derive one from the path.
    let givenName: String?
    private(set) var plan: RecordsPlan?
    private(set) var records = ObjectStatistics()
    /// The facts about the records of other lists in the responses, by name.
    private(set) var sides: [Named] = []
    private(set) var paging = PagingObserver()
    private(set) var responseCount = 0
    /// The URL that the last response names as that of the next page; `nil` for none.
    private(set) var successor: URLText?
    /// The URLs, up to a limit.
    private(set) var urls: [URLText] = []
    /// The bodies of POST requests, up to the same limit; `nil` for GET.
    private(set) var bodies: [Document]?
    private static let maximumURLCount = 200

    struct Named: Sendable {
        let side: RecordsPlan.Side
        /// The value of the member `type`; `nil` without types.
        let type: String?
        var objects: ObjectStatistics
    }

    /// The name of the records: their key, the given name, or that of the path.
    var recordName: String {
        if case .key(let key) = plan?.path.components.last, plan?.isSingle != true,
            !RecordsLocator.isEnvelope(key)
        {
            return key
        }
        return givenName ?? template.names.first ?? "records"
    }

    init(template: PathTemplate, givenName: String?) {
        self.template = template
        self.givenName = givenName
    }

    /// A Boolean value that indicates whether the requests read: a POST can also write.
    var isRead: Bool {
        if bodies == nil { return true }
        guard let plan, !plan.isSingle else { return false }
        let last = template.components.last.flatMap(\.self)?.lowercased() ?? ""
        return Self.isSearch(last)
            || paging.finding().pagination.map { $0.rule != .singlePage } == true
    }

    /// Returns a Boolean value that indicates whether the last component of a path names a search.
    static func isSearch(_ component: String) -> Bool { searches.contains(component.lowercased()) }

    private static let searches: Set<String> = [
        "query", "search", "_search", "list", "find", "filter", "scroll",
    ]

    /// Observes a response.
    ///
    /// - Parameters:
    ///   - document: The body of the response.
    ///   - url: The URL of the request.
    ///   - fields: The header fields of the response.
    ///   - body: The body of a POST request; `nil` for GET.
    mutating func observe(
        _ document: Document, _ url: URLText, _ fields: [HeaderField], posted body: Document? = nil
    ) {
        if let body, (bodies?.count ?? 0) < Self.maximumURLCount {
            bodies = (bodies ?? []) + [body]
        }
        responseCount += 1
        successor = nil
        if urls.count < Self.maximumURLCount { urls.append(url) }
        document.withView { root in
            if plan == nil {
                let names = template.names + (givenName.map { [$0] } ?? [])
                var locator = RecordsLocator(names: names, isItem: template.isItem)
                plan = locator.plan(root)
            }
            let count = observeRecords(root)
            if plan?.isSingle != true {
                let signs = PagingSigns(
                    root, records: plan?.path, fields: fields, recordCount: count)
                paging.observe(
                    signs, url, body: body.map { Self.parameters($0.root) }, recordCount: count)
                let link = signs.linkHeader ?? signs.link?.value ?? ""
                if !link.isEmpty { successor = url.resolving(link) }
            }
        }
    }

    /// Returns the members of a body that are scalars.
    private static func parameters(_ body: Node) -> [URLText.Parameter] {
        guard body.kind == .object else { return [] }
        return body.members.compactMap { key, value in
            (value.string ?? value.numberText).map { URLText.Parameter(name: key, value: $0) }
        }
    }

    private mutating func observeRecords(_ root: NodeView) -> Int {
        guard let plan else { return 0 }
        let merging = Set(plan.merge)
        var count = 0
        var records = records
        // The facts are moved out and back in, so that the closure changes them without a copy.
        self.records = ObjectStatistics()
        plan.forEachRecord(of: root) { record, key in
            count += 1
            records.observe(record, depth: 0, merging: merging, key: key)
        }
        self.records = records
        for side in plan.sides { observe(side, root) }
        return count
    }

    private mutating func observe(_ side: RecordsPlan.Side, _ root: NodeView) {
        guard let list = root.member(at: side.path) else { return }
        let elements: [(value: NodeView, key: NodeView?)] =
            side.isKeyed ? list.members.map { ($0.value, $0.key) } : list.elements.map { ($0, nil) }
        for (element, key) in elements where element.isObject {
            let type = side.isTyped ? element.member("type")?.string() : nil
            let index: Int
            if let known = sides.firstIndex(where: { $0.side.path == side.path && $0.type == type })
            {
                index = known
            } else {
                guard sides.count < 64 else { continue }
                index = sides.count
                sides.append(Named(side: side, type: type, objects: ObjectStatistics()))
            }
            sides[index].objects.observe(element, depth: 0, key: key)
        }
    }
}

/// A path with the positions of its identities.
struct PathTemplate: Sendable, Hashable {
    /// The components; `nil` for an identity.
    let components: [String?]
    let endsWithSlash: Bool

    init(_ url: URLText) {
        components = url.components.map { IdentityNames.isIdentifier($0) ? nil : $0 }
        endsWithSlash = url.endsWithSlash
    }

    /// A Boolean value that indicates whether the path ends with an identity.
    var isItem: Bool { components.last.map { $0 == nil } ?? false }

    /// The names of the resource, the last one first.
    var names: [String] {
        let nouns = components.compactMap(\.self)
            .filter { !Self.isPrefix($0) && $0.first != "_" && $0.count > 1 }
            .map(Self.stem).reversed()
        // An adjective such as `popular` says which records there are, not what they are.
        let isAdjective =
            nouns.count > 1
            && (nouns.first.map { Self.adjectives.contains($0.lowercased()) } == true
                || isNamedItem)
        return Array(isAdjective ? nouns.dropFirst().prefix(2) : nouns.prefix(2))
    }

    /// A Boolean value that indicates whether the path ends with the name of an object, as `labels/bug` does.
    var isNamedItem: Bool {
        guard components.count >= 2, let last = components[components.count - 1],
            let collection = components[components.count - 2]
        else { return false }
        return Words.isPlural(collection) && !Words.isPlural(last) && !Self.isPrefix(collection)
            && Self.stem(last) == last && last.first != "_"
    }

    private static let adjectives: Set<String> = [
        "popular", "latest", "recent", "all", "top", "trending", "search", "upcoming", "featured",
        "index", "list", "query", "active",
    ]

    /// Returns a component without the ending of a format, such as `.json`.
    private static func stem(_ component: String) -> String {
        for ending in [".json", ".xml", ".csv", ".jsonl"]
        where component.lowercased().hasSuffix(ending) {
            return String(component.dropLast(ending.count))
        }
        return component
    }

    /// Returns a Boolean value that indicates whether a component is a part of the base, such as `api` or
    /// `v2`.
    static func isPrefix(_ component: String) -> Bool {
        let name = component.lowercased()
        if ["api", "rest", "wp-json", "wp", "public", "services", "json", "_api"].contains(name) {
            return true
        }
        let isVersion =
            name.first == "v" && name.dropFirst().contains(where: \.isNumber)
            && name.dropFirst().allSatisfy { $0.isNumber || $0 == "." }
        // The name of a script says what runs, not what it returns.
        let isScript = [".svc", ".php", ".cgi", ".asp", ".aspx", ".ashx", ".jsp", ".do"]
            .contains { name.hasSuffix($0) }
        return isVersion || isScript
    }
}
