// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import Testing

/// Responses of an API, and the facts that a person reads in them.
struct Sample: Sendable, CustomTestStringConvertible {
    struct Response: Sendable {
        let url: String
        let fields: [HeaderField]
        let body: String

        init(_ url: String, _ body: String, fields: [HeaderField] = []) {
            self.url = url
            self.body = body
            self.fields = fields
        }
    }

    let name: String
    let responses: [Response]
    /// The facts, one on each line; see ``Facts``.
    let expected: String

    init(_ name: String, _ responses: [Response], _ expected: String) {
        self.name = name
        self.responses = responses
        self.expected = expected
    }

    var testDescription: String { name }

    func inferred() throws -> InferredDefinition {
        var inference = DefinitionInference()
        for response in responses {
            inference.observe(
                try Document(parsing: response.body), from: response.url, fields: response.fields)
        }
        return inference.result()
    }
}

/// The facts of a definition as lines.
///
/// - `entity Film url`: an entity with its identity, `-` for none
/// - `relation Film.characters many Person`: a relation with its destination
/// - `type Film.title text`: the type of a column
/// - `page films json_link next`: a pagination
/// - `records films results`: the path of records
struct Facts {
    /// The facts by kind.
    private(set) var lines: [String: Set<String>] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let line = line.trimmingPrefix { $0 == " " }
            guard let kind = line.split(separator: " ").first else { continue }
            lines[String(kind), default: []].insert(String(line))
        }
    }

    init(_ definition: Definition) {
        for entity in definition.entities {
            let identity = entity.identity.isEmpty ? "-" : entity.identity.joined(separator: "+")
            lines["entity", default: []].insert("entity \(entity.name) \(identity)")
            for relation in entity.relations {
                let many = relation.isToMany ? "many" : "one"
                lines["relation", default: []].insert(
                    "relation \(entity.name).\(relation.name) \(many) \(relation.entity)")
            }
            for attribute in entity.attributes {
                lines["type", default: []].insert(
                    "type \(entity.name).\(attribute.name) \(attribute.type.rawValue)")
            }
        }
        for resource in definition.resources {
            if let pagination = resource.pagination {
                lines["page", default: []].insert(
                    "page \(resource.name) \(Self.text(pagination.rule))")
            }
            let path = resource.records.path?.description ?? ""
            lines["records", default: []].insert(
                "records \(resource.name) \(path.isEmpty ? "$" : path)")
        }
    }

    private static func text(_ rule: PaginationDefinition.Rule) -> String {
        switch rule {
        case .singlePage: return "single_page"
        case .linkHeader: return "header_link"
        case .link(let path): return "json_link \(path)"
        case .cursor(.body(let path), let parameter): return "cursor \(path) \(parameter)"
        case .cursor(.header(let name), let parameter): return "cursor \(name) \(parameter)"
        case .cursor(.lastRecord(let path), let parameter): return "cursor \(path) \(parameter)"
        case .pageNumber(let parameter, let first): return "page_number \(parameter) \(first)"
        case .offset(let parameter, let first): return "offset \(parameter) \(first)"
        case .lastIdentity(let path, let parameter): return "last_identity \(path) \(parameter)"
        case .custom(let name): return "custom \(name)"
        }
    }
}
