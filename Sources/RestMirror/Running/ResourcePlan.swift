// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestTransport

/// Everything that the lists of a resource share.
struct ResourcePlan: Sendable {
    let resource: ResourceDefinition
    /// The pagination; `nil` to find links in the responses.
    let pagination: PaginationDefinition?
    let composer: RequestComposer
    let requester: PageRequester
    let writer: RowWriter
    /// A Boolean value that indicates whether the rows of a list have to be known, for a deletion or as parents.
    let tracksRows: Bool
    /// The keys of records that the definition describes; `nil` for records of several entities.
    let keys: KeyInventory?
    /// The lists inside of records; `nil` for records of several entities.
    let embeddedLists: EmbeddedLists?
    let evolution: SchemaEvolution
    let report: @Sendable (MirrorEvent) -> Void
    /// The version of the definition, which explanations of rows name.
    let version: String

    /// The name of the resource.
    var name: String { resource.name }

    /// A Boolean value that indicates whether rows are deleted that a list has lost.
    var deletesByWalk: Bool { resource.deletion == .walk }

    /// A Boolean value that indicates whether requests name the end of an interval.
    var hasEnd: Bool {
        guard resource.cursor != nil else { return false }
        return resource.cursor?.endParameter != nil
            || templates.contains { $0.parts.contains(.cursorEnd) }
    }

    private var templates: [Template] {
        var templates = [resource.path] + resource.parameters.map(\.value)
        for header in resource.headers {
            if case .text(let template) = header.value { templates.append(template) }
        }
        switch resource.body {
        case .json(let value)?: templates += value.templates
        case .form(let parameters)?: templates += parameters.map(\.value)
        case nil: break
        }
        return templates
    }

    /// The values of parents to which requests refer, in the order of their first occurrence.
    var references: [(parent: String, path: DocumentPath)] {
        var references: [(parent: String, path: DocumentPath)] = []
        for reference in templates.flatMap(\.references)
        where !references.contains(where: { $0 == reference }) {
            references.append(reference)
        }
        return references
    }

    func warn(_ kind: MirrorWarning.Kind, isIncomplete: Bool = false, _ message: String) {
        report(
            .warning(
                MirrorWarning(
                    kind: kind, resource: name, message: message, isIncomplete: isIncomplete)))
    }
}
