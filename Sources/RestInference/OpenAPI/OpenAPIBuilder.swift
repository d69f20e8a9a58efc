// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A builder of a definition from an OpenAPI document.
struct OpenAPIBuilder {
    /// An operation that returns records.
    struct Operation {
        let path: String
        let method: RequestMethod
        let schema: SourceValue
        let plan: RecordsPlan
        let paging: PagingObserver.Finding
        let parameters: [ParameterDefinition]
        /// The members of the body that are not about pages.
        let members: [TemplateValue.Member]
        let name: String
    }

    private let document: SourceValue
    private let resolver: OpenAPIResolver
    private var entities: OpenAPIEntities
    private var evidence: [DocumentPath: Evidence] = [:]
    /// The paths that are left out, with the reasons.
    private var omissions: [String] = []
    private var names = DistinctNames()
    /// The entities of the records of lists, by resource.
    private var entityNames: [String: String] = [:]

    init(_ document: SourceValue) {
        self.document = document
        resolver = OpenAPIResolver(root: document)
        entities = OpenAPIEntities(resolver)
        _ = names.distinct("cursor")
    }

    mutating func result() -> InferredDefinition {
        var operations: [Operation] = []
        for path in document["paths"]?.pairs ?? [] {
            let item = resolver.dereferenced(path.value).value
            if let operation = operation(path.key, item, .get)
                ?? operation(path.key, item, .post)
            {
                operations.append(operation)
            }
        }
        var resources: [ResourceDefinition] = []
        var lists: [String: (resource: String, identity: String)] = [:]
        // Parents come before their children.
        for operation in operations.sorted(by: { $0.parameterCount < $1.parameterCount }) {
            guard let resource = resource(operation, lists) else { continue }
            resources.append(resource)
            guard !operation.plan.isSingle, case .one(let entity) = resource.entity,
                let identity = entities.entities.first(where: { $0.name == entity })?.identity.first
            else { continue }
            lists[operation.path] = (resource.name, identity)
        }
        let api = api()
        evidence.merge(entities.evidence) { first, _ in first }
        let definition = Definition(api: api, resources: resources, entities: entities.entities)
        return InferredDefinition(
            definition: definition, evidence: evidence, summary: summary(definition))
    }

    private mutating func note(_ keys: [String], _ reason: Evidence) {
        evidence[DocumentPath(keys.map { .key($0) })] = reason
    }

    // MARK: Operations

    private mutating func operation(
        _ path: String, _ item: SourceValue, _ method: RequestMethod
    ) -> Operation? {
        guard let described = item[method.rawValue.lowercased()],
            let (response, schema) = response(of: described)
        else { return nil }
        let parameters =
            ((item["parameters"]?.elements ?? []) + (described["parameters"]?.elements ?? []))
            .map { resolver.dereferenced($0).value }
        let queries = parameters.filter { $0["in"]?.text == "query" }
        var posted: OpenAPIBody?
        if method == .post {
            guard let body = OpenAPIBody(of: described, resolver) else { return nil }
            posted = body
        }
        let names = queries.compactMap { $0["name"]?.text } + (posted?.names ?? [])
        let hasCursor = names.contains { Self.cursorNames.contains($0.lowercased()) }
        let example = OpenAPIExample(resolver: resolver, hasCursorParameter: hasCursor).value(
            schema
        ).document
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let nouns = path.split(separator: "/").map(String.init)
            .filter { !$0.hasPrefix("{") && !PathTemplate.isPrefix($0) }.reversed()
        var locator = RecordsLocator(names: Array(nouns.prefix(2)), isItem: last.hasPrefix("{"))
        guard let plan = example.withView({ locator.plan($0) }) else { return nil }
        // Only a search is known to read: one that is named so, or whose body selects a page.
        if let posted {
            let isSearch = ResourceObservation.isSearch(last) || posted.isPaged
            guard !plan.isSingle, isSearch else { return nil }
            if let name = posted.missing {
                omissions.append("\(path) (the member `\(name)` of the body is required)")
                return nil
            }
        }
        guard let (fixed, url) = query(queries, path) else { return nil }
        var observer = PagingObserver()
        example.withView { root in
            let fields = (response["headers"]?.pairs ?? []).map { field in
                HeaderField(
                    field.key,
                    field.key.lowercased() == "link"
                        ? "<https://api.example.com/next>; rel=\"next\"" : "1000")
            }
            observer.observe(
                PagingSigns(root, records: plan.path, fields: fields, recordCount: 1), url,
                body: posted?.parameters, recordCount: 1)
        }
        // The name of a search says what the request does, not what it returns.
        let name = nouns.first { posted == nil || !ResourceObservation.isSearch($0) }
        return Operation(
            path: path, method: method, schema: schema, plan: plan, paging: observer.finding(),
            parameters: fixed, members: posted?.members ?? [],
            name: name ?? nouns.first ?? "records")
    }

    static let cursorNames: Set<String> = [
        "cursor", "page_token", "pagetoken", "next_token", "nexttoken", "continuation",
        "continuation_token",
        "after", "start_cursor", "marker", "page[cursor]", "page[after]", "scroll_id",
        "next_cursor",
    ]

    /// Returns the successful JSON response of an operation with its schema.
    private func response(of get: SourceValue) -> (SourceValue, SourceValue)? {
        let responses = get["responses"]
        for status in ["200", "2XX", "2xx", "201", "default"] {
            guard let response = responses?[status].map({ resolver.dereferenced($0).value }) else {
                continue
            }
            let content = response["content"]?.pairs?.first { member in
                let type = member.key.lowercased().prefix { $0 != ";" }
                return type == "application/json" || type.hasSuffix("+json") || type == "*/*"
            }
            if let schema = content?.value["schema"] { return (response, schema) }
        }
        return nil
    }

    /// Returns the parameters that are not about pages, and a URL with those that are; `nil` if a value is required
    /// that the document does not have.
    private mutating func query(
        _ queries: [SourceValue], _ path: String
    ) -> ([ParameterDefinition], URLText)? {
        var fixed: [ParameterDefinition] = []
        var paged: [String] = []
        for query in queries {
            guard let name = query["name"]?.text else { continue }
            let schema = query["schema"].map { resolver.schema($0) } ?? OpenAPISchema()
            if Self.cursorNames.contains(name.lowercased()) {
                paged.append("\(name)=\(OpenAPIExample.cursor)")
            } else if PagingObserver.parameterNames.contains(name) {
                paged.append("\(name)=1")
            } else if PagingObserver.isSize(name) {
                if let size = schema.maximum ?? schema.example?.integer {
                    paged.append("\(name)=\(size)")
                }
            } else if query["required"]?.isTrue == true, !SecretNames.isSecret(parameter: name) {
                guard let value = (query["example"] ?? schema.example)?.plainText else {
                    omissions.append("\(path) (the parameter `\(name)` is required)")
                    return nil
                }
                fixed.append(ParameterDefinition(name, Template(text: value)))
            }
        }
        return (fixed, URLText("https://api.example.com/x?" + paged.joined(separator: "&")))
    }

    // MARK: Resources

    private mutating func resource(
        _ operation: Operation, _ lists: [String: (resource: String, identity: String)]
    ) -> ResourceDefinition? {
        guard let (path, parents) = path(of: operation, lists) else { return nil }
        guard let records = recordSchema(operation) else { return nil }
        // The object of a list needs no request of its own, unless it has another schema than in the list.
        if operation.plan.isSingle, operation.parameterCount > 0,
            !hasDetails(records, parents.first?.name)
        {
            return nil
        }
        let name = names.distinct(Words.resourceName(operation.name))
        let recordName: String
        if case .key(let key) = operation.plan.path.components.last, !RecordsLocator.isEnvelope(key)
        {
            recordName = key
        } else {
            recordName = operation.name
        }
        let entity = entities.root(records, named: recordName)
        if !operation.plan.isSingle { entityNames[name] = entity }
        var resource = ResourceDefinition(
            name: name, path: path, parameters: operation.parameters, parents: parents,
            records: operation.plan.definition, entity: .one(entity))
        resource.method = operation.method
        if !operation.members.isEmpty { resource.body = .json(.object(operation.members)) }
        if operation.plan.isSingle {
            resource.pagination = PaginationDefinition(.singlePage)
        } else {
            resource.pagination = operation.paging.pagination
            let isFound = resource.pagination != nil
            note(
                ["resources", name] + (isFound ? ["pagination"] : []),
                Evidence(
                    isFound ? .likely : .guess,
                    isFound ? "by the names of parameters and properties" : "no sign of pages"))
        }
        return resource
    }

    /// Returns the path with the parents of its parameters; `nil` if they have none.
    private mutating func path(
        of operation: Operation, _ lists: [String: (resource: String, identity: String)]
    ) -> (Template, [ParentDefinition])? {
        var parts: [Template.Part] = []
        var parents: [ParentDefinition] = []
        var text = ""
        var prefix = ""
        for component in operation.path.split(separator: "/") {
            if !text.isEmpty || !parts.isEmpty { text += "/" }
            guard component.hasPrefix("{"), component.hasSuffix("}") else {
                text += component
                prefix += "/" + component
                continue
            }
            let parameter = String(component.dropFirst().dropLast())
            guard parents.isEmpty, let list = lists[prefix] ?? lists[prefix + "/"],
                Self.isIdentity(parameter, list.identity)
            else {
                omissions.append("\(operation.path) (no list has `\(component)`)")
                return nil
            }
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
            parts.append(.parent(list.resource, path: DocumentPath([.key(list.identity)])))
            parents.append(ParentDefinition(name: list.resource, source: .resource(list.resource)))
            prefix += "/" + component
        }
        if operation.path.hasSuffix("/"), operation.path.count > 1 { text += "/" }
        if !text.isEmpty { parts.append(.text(text)) }
        return (Template(parts: parts), parents)
    }

    /// Returns a Boolean value that indicates whether a parameter of a path is the identity of the objects of a list.
    private static func isIdentity(_ parameter: String, _ identity: String) -> Bool {
        let (words, other) = (Words.words(of: parameter), Words.words(of: identity))
        return words == other
            || words.last == other.last && IdentityNames.isStrong(other.last ?? "")
    }

    /// Returns a Boolean value that indicates whether an object has more properties than the records of its list.
    private func hasDetails(_ schema: SourceValue, _ parent: String?) -> Bool {
        guard let entity = parent.flatMap({ entityNames[$0] }),
            let known = entities.entities.first(where: { $0.name == entity })
        else { return false }
        let detailed = resolver.schema(schema)
        return detailed.name.map { !Words.areEqual($0, entity) } == true
            && detailed.properties.count > known.attributes.count + known.relations.count
    }

    /// Returns the schema of a record.
    private func recordSchema(_ operation: Operation) -> SourceValue? {
        var source = operation.schema
        for case .key(let key) in operation.plan.path.components {
            guard let property = resolver.schema(source).properties.first(where: { $0.name == key })
            else { return nil }
            source = property.schema
        }
        if !operation.plan.isSingle {
            guard let items = resolver.schema(source).items else { return nil }
            source = items
        }
        if let wrapper = operation.plan.wrapper {
            guard
                let property = resolver.schema(source).properties.first(where: {
                    $0.name == wrapper
                })
            else { return nil }
            source = property.schema
        }
        return resolver.schema(source).isObject ? source : nil
    }

    // MARK: API

    private mutating func api() -> APIDefinition {
        var base = document["servers"]?.elements?.first?["url"]?.text ?? ""
        for variable in document["servers"]?.elements?.first?["variables"]?.pairs ?? [] {
            base = base.replacing(
                "{\(variable.key)}", with: variable.value["default"]?.text ?? variable.key)
        }
        if !base.contains("://") {
            note(["api", "base"], Evidence(.guess, "the document has no absolute URL: write it"))
            base = "https://api.example.com" + (base.hasPrefix("/") ? base : "/" + base)
        }
        if !base.hasSuffix("/") { base += "/" }
        let authentication = OpenAPISecurity(document, resolver).authentication
        if authentication != .none {
            note(["api", "auth"], Evidence(.likely, "set the variables before a run"))
        }
        return APIDefinition(base: base, authentication: authentication)
    }

    private func summary(_ definition: Definition) -> [String] {
        var lines = [
            "Entities: " + definition.entities.map(\.name).shortened(),
            "Relations: "
                + definition.entities.flatMap { entity in
                    entity.relations.map { "\(entity.name).\($0.name) → \($0.entity)" }
                }.shortened(),
            "Resources: " + definition.resources.map(\.name).shortened(),
            "Pages: \(definition.resources.count { $0.pagination != nil }) of \(definition.resources.count) resources",
        ]
        if !omissions.isEmpty { lines.append("Left out: " + omissions.shortened()) }
        return lines
    }
}

extension OpenAPIBuilder.Operation {
    /// The number of parameters in the path.
    fileprivate var parameterCount: Int { path.count { $0 == "{" } }
}

extension [String] {
    /// The elements in one line, with the number of those that are left out.
    fileprivate func shortened() -> String {
        if isEmpty { return "none" }
        let rest = count > 8 ? ", and \(count - 8) more" : ""
        return prefix(8).joined(separator: ", ") + rest
    }
}
