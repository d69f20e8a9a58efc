// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestOutbox
import RestPersistence

/// Reads values of an object from a response that is not imported, because there is no row for it, or another one.
struct RepresentationReader: Sendable {
    private let identityPath: DocumentPath?
    private let versionPath: DocumentPath?
    private let isTextIdentity: Bool
    /// The attributes that are sent, by name: integers and texts.
    private let attributes: [String: (path: DocumentPath, type: AttributeType)]
    private let precondition: CompiledPrecondition

    init(_ declaration: SentDeclaration, _ model: ManagedObjectModel) {
        let table = declaration.type.properties
        func path(_ index: Int?) -> DocumentPath? {
            index.flatMap {
                try? DocumentPath(parsing: table.properties[$0].source.description)
            }
        }
        precondition = declaration.precondition
        identityPath = path(table.identity.first)
        versionPath = path(declaration.versionProperty.flatMap(table.index(of:)))
        let layout = try? model.layout(named: declaration.entity.name)
        let column = layout.flatMap { layout in layout.identity.first.map { layout.columns[$0] } }
        isTextIdentity = column.map { $0.type.kind != .integer } ?? true
        var attributes: [String: (path: DocumentPath, type: AttributeType)] = [:]
        for name in declaration.entity.properties {
            guard let layout, let column = layout.column(ofProperty: name),
                layout.columns[column].destination == nil, let path = path(table.index(of: name))
            else { continue }
            attributes[name] = (path, layout.columns[column].type)
        }
        self.attributes = attributes
    }

    func identity(in response: ObjectResponse) -> StoredValue? {
        response.matches.first.flatMap { identity(of: $0.representation) }
    }

    private func identity(of node: Node) -> StoredValue? {
        identityPath.flatMap { identity(at: $0, in: node) }
    }

    /// Returns the identity that a part of a document names.
    func identity(at path: DocumentPath, in node: Node) -> StoredValue? {
        guard let value = node[path], !value.isNull else { return nil }
        if !isTextIdentity { return value.int64.map { .integer($0) } }
        return (value.string ?? value.numberText).map { .text($0) }
    }

    func version(in response: ObjectResponse) -> StoredValue? {
        guard let node = versionPath.flatMap({ response.matches.first?.representation[$0] }) else {
            return precondition.version(of: response.head, isRead: false)
        }
        let value = node.int64.map { .integer($0) } ?? node.string.map { StoredValue.text($0) }
        return value.flatMap(precondition.version)
    }

    /// Returns a Boolean value that indicates whether a response names a weak entity tag in the place of the version.
    func hasWeakTag(_ response: ObjectResponse) -> Bool {
        let tag: String? =
            switch precondition {
            case .ownTag: response.head.headerFields[.eTag]
            case .tag:
                versionPath.flatMap { response.matches.first?.representation[$0]?.string }
            default: nil
            }
        return tag?.hasPrefix("W/") == true
    }

    /// Returns the sent attributes of the object in a response, of those types that have one text.
    func image(in response: ObjectResponse) -> ObjectImage {
        response.matches.first.map { image(of: $0.representation) } ?? [:]
    }

    private func image(of node: Node) -> ObjectImage {
        attributes.compactMapValues { path, type in
            guard let value = node[path] else { return nil }
            if value.isNull { return .null }
            switch type.kind {
            case .integer: return value.int64.map { .integer($0) }
            case .text: return value.string.map { .text($0) }
            default: return nil
            }
        }
    }

    /// Returns the identities of the objects in a response whose attribute has a value.
    func identities(
        in response: ObjectResponse, where property: String, is value: StoredValue
    ) -> [StoredValue] {
        var found: [StoredValue] = []
        func search(_ node: Node) {
            if node.kind == .array {
                for element in node.elements { search(element) }
            } else if image(of: node)[property] == value, let identity = identity(of: node) {
                found.append(identity)
            }
        }
        for match in response.matches { search(match.representation) }
        return found
    }
}
