// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestOutbox
import RestPersistence

/// Reads the identity of an object from a response that is not imported, because the row of the object was
/// deleted while its creation was on the way.
struct IdentityReader: Sendable {
    private let path: DocumentPath?
    private let kind: AttributeType.Kind?

    init(_ declaration: SentDeclaration, _ model: ManagedObjectModel) {
        let table = declaration.type.properties
        guard let index = table.identity.first,
            let layout = try? model.layout(named: declaration.entity.name),
            let column = layout.identity.first
        else {
            (path, kind) = (nil, nil)
            return
        }
        path = try? DocumentPath(parsing: table.properties[index].source.description)
        kind = layout.columns[column].type.kind
    }

    func identity(in response: ObjectResponse) -> StoredValue? {
        guard let path, let kind, let node = response.matches.first?.representation[path] else {
            return nil
        }
        switch kind {
        case .integer: return node.int64.map { .integer($0) }
        default: return node.string.map { .text($0) }
        }
    }
}
