// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestOutbox
import RestPersistence

/// Reads the identity and the version of an object from a response that is not imported, because the row of the
/// object was deleted while its request was on the way.
struct RepresentationReader: Sendable {
    private let identityPath: DocumentPath?
    private let versionPath: DocumentPath?
    private let isTextIdentity: Bool

    init(_ declaration: SentDeclaration, _ model: ManagedObjectModel) {
        let table = declaration.type.properties
        func path(_ index: Int?) -> DocumentPath? {
            index.flatMap {
                try? DocumentPath(parsing: table.properties[$0].source.description)
            }
        }
        identityPath = path(table.identity.first)
        versionPath = path(declaration.versionProperty.flatMap(table.index(of:)))
        let layout = try? model.layout(named: declaration.entity.name)
        let column = layout.flatMap { layout in layout.identity.first.map { layout.columns[$0] } }
        isTextIdentity = column.map { $0.type.kind != .integer } ?? true
    }

    func identity(in response: ObjectResponse) -> StoredValue? {
        guard let identityPath,
            let node = response.matches.first?.representation[identityPath]
        else { return nil }
        if isTextIdentity { return node.string.map { .text($0) } }
        return node.int64.map { .integer($0) }
    }

    func version(in response: ObjectResponse) -> Int64? {
        versionPath.flatMap { response.matches.first?.representation[$0]?.int64 }
    }
}
