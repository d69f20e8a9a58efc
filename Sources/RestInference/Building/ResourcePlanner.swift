// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A planner of the resources of a definition from observed URLs.
struct ResourcePlanner {
    private let observations: [ResourceObservation]
    private let names: [String]
    private let origin: String
    private let model: EntityModel
    private let rootSites: [Int]
    private let sideSites: [[Int]]
    private(set) var evidence: [DocumentPath: Evidence] = [:]
    /// The pagination of each planned resource.
    private(set) var findings: [PagingObserver.Finding] = []

    init(
        _ observations: [ResourceObservation], names: [String], origin: String, model: EntityModel,
        rootSites: [Int], sideSites: [[Int]]
    ) {
        self.observations = observations
        self.names = names
        self.origin = origin
        self.model = model
        self.rootSites = rootSites
        self.sideSites = sideSites
    }

    mutating func plan() -> (APIDefinition, [ResourceDefinition]) {
        let prefix = commonPrefix()
        var resources: [ResourceDefinition] = []
        for index in observations.indices where !isCovered(index) {
            resources += plan(index, prefix)
        }
        let base = origin.isEmpty ? "https://api.example.com" : origin
        let path = prefix.map { $0 + "/" }.joined()
        if origin.isEmpty {
            note(["api", "base"], Evidence(.guess, "the URL is not known: write it"))
        }
        return (APIDefinition(base: "\(base)/\(path)"), resources)
    }

    private mutating func note(_ keys: [String], _ reason: Evidence) {
        evidence[DocumentPath(keys.map { .key($0) })] = reason
    }

    /// Returns the first components of all paths, such as `api` and `v2`.
    private func commonPrefix() -> [String] {
        var prefix: [String]?
        for observation in observations where !observation.template.components.isEmpty {
            let own = observation.template.components.prefix {
                $0.map(PathTemplate.isPrefix) == true
            }
            .compactMap(\.self)
            let common = prefix ?? own
            prefix = zip(common, own).prefix { $0 == $1 }.map(\.0)
        }
        return prefix ?? []
    }

    /// Returns a Boolean value that indicates whether a list contains the objects of a resource for one
    /// object.
    private func isCovered(_ index: Int) -> Bool {
        let observation = observations[index]
        guard observation.template.isItem || observation.template.isNamedItem,
            observation.plan?.isSingle == true,
            let group = model.group(ofSite: rootSites[index])
        else { return false }
        return observations.indices.contains { other in
            other != index && observations[other].plan?.isSingle == false
                && model.group(ofSite: rootSites[other])?.name == group.name
        }
    }

    private mutating func plan(_ index: Int, _ prefix: [String]) -> [ResourceDefinition] {
        let observation = observations[index]
        guard let plan = observation.plan, let group = model.group(ofSite: rootSites[index]) else {
            return []
        }
        let name = names[index]
        let (path, parents) = path(of: index, prefix)
        var resource = ResourceDefinition(
            name: name, path: path, parents: parents, records: plan.definition,
            entity: .one(group.name))
        let finding = observation.paging.finding()
        if plan.isSingle {
            resource.pagination = PaginationDefinition(.singlePage)
        } else {
            resource.pagination = finding.pagination
            note(
                ["resources", name] + (finding.pagination == nil ? [] : ["pagination"]),
                Evidence(finding.confidence, finding.text))
            findings.append(finding)
        }
        resource.parameters = parameters(of: observation, resource.pagination)
        if let bodies = observation.bodies {
            resource.method = .post
            resource.body = Self.body(bodies, resource.pagination)
        }
        note(["resources", name, "records"], Evidence(.likely, plan.evidence))
        var resources = [resource]
        addSides(index, to: &resources)
        return resources
    }

    // MARK: Other lists

    private func addSides(_ index: Int, to resources: inout [ResourceDefinition]) {
        let observation = observations[index]
        var typed: [DocumentPath: [TypedSelection.Case]] = [:]
        for (site, side) in zip(sideSites[index], observation.sides) {
            guard let group = model.group(ofSite: site) else { continue }
            if let type = side.type {
                typed[side.side.path, default: []].append(.init(type, group.name))
            } else if side.side.isKeyed {
                var other = resources[0]
                other.name = Words.resourceName("\(other.name)_\(side.side.name)")
                other.records = RecordsDefinition(
                    path: side.side.path, isKeyed: true, keyName: "key")
                other.entity = .one(group.name)
                resources.append(other)
            } else {
                resources[0].records.included.append(
                    .init(at: side.side.path, entity: .one(group.name)))
            }
        }
        for (path, cases) in typed.sorted(by: { $0.key.description < $1.key.description }) {
            let selection = TypedSelection(by: "type", cases.sorted { $0.value < $1.value })
            resources[0].records.included.append(.init(at: path, entity: .byValue(selection)))
        }
    }

    // MARK: Paths

    /// Returns the path of a resource, with the parents that its identities belong to.
    private mutating func path(
        of index: Int, _ prefix: [String]
    ) -> (Template, [ParentDefinition]) {
        let observation = observations[index]
        let first = observation.urls.first
        let components = observation.template.components
        var parts: [Template.Part] = []
        var parents: [ParentDefinition] = []
        var text = ""
        func flush() {
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
        }
        for position in components.indices.dropFirst(prefix.count) {
            if position > prefix.count { text += "/" }
            if let component = components[position] {
                text += component
            } else if parents.isEmpty, let (parent, field) = parent(of: index, at: position) {
                flush()
                parts.append(.parent(parent, path: DocumentPath([.key(field)])))
                parents.append(ParentDefinition(name: parent, source: .resource(parent)))
                note(
                    ["resources", names[index], "for_each"],
                    Evidence(.likely, "the path contains `\(field)` of \(parent)"))
            } else {
                text += first?.components[position] ?? ""
            }
        }
        // Without a URL, the name of the file is the best guess.
        if components.isEmpty, origin.isEmpty { text = names[index] }
        if observation.template.endsWithSlash { text += "/" }
        flush()
        return (Template(parts: parts), parents)
    }

    /// Returns the resource and its member that the identities at a position of a path belong to.
    private func parent(of index: Int, at position: Int) -> (String, String)? {
        let observation = observations[index]
        let values = Set(
            observation.urls.compactMap { url in
                url.components.indices.contains(position)
                    ? ValueHash.of(url.components[position]) : nil
            })
        let collection = position > 0 ? observation.template.components[position - 1] : nil
        let candidates = observations.indices.filter { other in
            other != index && observations[other].plan?.isSingle == false
                && !observations[other].template.components.contains(nil) && !isCovered(other)
        }
        for other in candidates {
            guard let group = model.group(ofSite: rootSites[other]), group.identity.count == 1
            else { continue }
            let field = group.identity[0]
            let known = values.count { group.objects.identity(field)?.contents[$0] != nil }
            let isNamed = collection.map { Words.areEqual($0, names[other]) } == true
            if known == values.count && known > 0 && (isNamed || known >= 2) || isNamed && known > 0
            {
                return (names[other], field)
            }
        }
        return nil
    }

    /// Returns the parameters that are equal in all requests and belong neither to pages nor to credentials.
    private func parameters(
        of observation: ResourceObservation, _ pagination: PaginationDefinition?
    ) -> [ParameterDefinition] {
        guard let first = observation.urls.first else { return [] }
        let excluded = Self.pageParameters(pagination)
        return first.parameters.filter { parameter in
            !excluded.contains(parameter.name)
                && !SecretNames.isSecret(parameter: parameter.name, inTraffic: true)
                && observation.urls.allSatisfy { $0.parameters.contains(parameter) }
        }.map { ParameterDefinition($0.name, Template(text: $0.value)) }
    }

    /// Returns the names of the parameters that select a page.
    private static func pageParameters(_ pagination: PaginationDefinition?) -> Set<String> {
        var names = PagingObserver.parameterNames
        if let size = pagination?.size?.parameter { names.insert(size) }
        if case .cursor(_, let parameter) = pagination?.rule { names.insert(parameter) }
        return names
    }

    /// Returns the members that are equal in all bodies and belong neither to pages nor to credentials; `nil`
    /// for none.
    private static func body(
        _ bodies: [Document], _ pagination: PaginationDefinition?
    ) -> BodyDefinition? {
        guard let first = bodies.first?.root else { return nil }
        let excluded = pageParameters(pagination)
        let texts = bodies.map { body in
            Dictionary(
                body.root.members.map { ($0.key, JSONWriter.compact.text(of: $0.value)) },
                uniquingKeysWith: { $1 })
        }
        let members = first.members.filter { key, value in
            !excluded.contains(key) && texts.allSatisfy { $0[key] == texts[0][key] }
        }.compactMap { key, value in TemplateValue(observed: value, at: key).map { (key, $0) } }
        if members.isEmpty { return nil }
        return .json(.object(members.map { TemplateValue.Member($0.0, $0.1) }))
    }
}

extension TemplateValue {
    /// Creates the value of a member of an observed body, without what can be a secret; `nil` if it is one.
    fileprivate init?(observed node: Node, at key: String) {
        if SecretNames.isSecret(parameter: key, inTraffic: true) { return nil }
        switch node.kind {
        case .null: self = .null
        case .boolean: self = .boolean(node.bool == true)
        case .number: self = .number(node.numberText ?? "0")
        case .string: self = .text(Template(text: node.string ?? ""))
        case .array:
            self = .array(node.elements.compactMap { TemplateValue(observed: $0, at: "") })
        case .object:
            self = .object(
                node.members.compactMap { key, value in
                    TemplateValue(observed: value, at: key).map { Member(key, $0) }
                })
        }
    }
}
