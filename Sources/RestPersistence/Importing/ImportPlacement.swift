// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// Places a batch in a context: objects found or made, values merged, relationships connected.
struct ImportPlacement {
    private let batch: ImportBatch
    private let node: Node
    private let context: ManagedObjectContext
    private var resolutions: [ImportResolution] = []

    init(_ batch: ImportBatch, of node: Node, in context: ManagedObjectContext) {
        self.batch = batch
        self.node = node
        self.context = context
    }

    mutating func run() throws(PersistenceError) {
        for entity in batch.entities {
            var resolution = ImportResolution(entity)
            if entity.count > 0 {
                if !entity.identity.isEmpty { try resolution.find(in: context) }
                try resolution.create(in: context)
            }
            resolutions.append(resolution)
        }
        try checkRequired()
        for relation in batch.relations { fillColumns(relation) }
        for entity in batch.entities where entity.count > 0 { merge(entity) }
        for relation in batch.relations { try connect(relation) }
    }

    // MARK: New objects

    /// New objects without a required value: an error with all of them, or left out with issues.
    private mutating func checkRequired() throws(PersistenceError) {
        var findings: [ImportIssue] = []
        for entity in batch.entities where entity.count > 0 {
            let layout = entity.layout
            let required = (0..<layout.attributeCount).filter { layout.columns[$0].isRequired }
            guard !required.isEmpty else { continue }
            var dropped: [Int] = []
            for row in resolutions[layout.index].created {
                for column in required where entity.value(row, column).isNull {
                    findings.append(
                        ImportIssue(
                            node: entity.nodes[row], entity: layout.index,
                            property: layout.columns[column].name, code: .missingValue,
                            expected: "a value"))
                    if dropped.last != row { dropped.append(row) }
                }
            }
            resolutions[layout.index].drop(dropped)
        }
        guard !findings.isEmpty else { return }
        if batch.plan.policy.invalidObject == .fail {
            throw missing(findings)
        }
        batch.issues += findings
    }

    private func missing(_ findings: [ImportIssue]) -> PersistenceError {
        let sorted = findings.sorted { $0.node < $1.node }
        let shown = sorted.prefix(Self.maximumDetails)
        let paths = withExtendedLifetime(node) {
            node.storage.view(at: 0).paths(of: shown.map(\.node))
        }
        var details = zip(shown, paths).map { issue, path in
            let name = batch.plan.model.layouts[issue.entity].name
            return "missingValue at \(path): \(name).\(issue.property ?? "")"
        }
        if sorted.count > shown.count { details.append("\(sorted.count - shown.count) more") }
        return PersistenceError(
            .invalidObject, entity: batch.plan.model.layouts[sorted[0].entity].name,
            property: sorted[0].property, details: details)
    }

    /// Most missing values that one error names.
    private static var maximumDetails: Int { 20 }

    // MARK: Relationships in columns

    /// References that are columns become values of the rows that have the column.
    private func fillColumns(_ relation: RelationBatch) {
        let relationship = relation.relationship
        let owners = resolutions[relation.entity]
        let members = resolutions[relationship.destination]
        switch relationship.storage {
        case .column(let column):
            for owner in relation.cleared {
                owners.batch.set(.null, column, of: owners.canonical[owner])
            }
            for (owner, member) in relation.pairs {
                guard let key = members.key(of: member) else { continue }
                owners.batch.set(.integer(key), column, of: owners.canonical[owner])
            }
        case .inverseColumn(let column):
            for (owner, member) in relation.pairs {
                guard let key = owners.key(of: owner) else { continue }
                members.batch.set(.integer(key), column, of: members.canonical[member])
            }
        case .link: break
        }
    }

    /// Rows become changes of the context, and values of its living objects.
    private func merge(_ entity: EntityBatch) {
        let layout = entity.layout
        let resolution = resolutions[layout.index]
        context.changes.update(layout.index) { changes in
            changes.reserve(entity.count)
            for row in 0..<entity.count where resolution.canonical[row] == row {
                guard let key = resolution.key(of: row) else { continue }
                let values = entity.values[row * layout.width..<(row + 1) * layout.width]
                if resolution.createdKeys.contains(key) {
                    changes.insert(key, values)
                } else {
                    changes.merge(key, entity.masks[row], values)
                }
            }
        }
        for object in context.identityMap.objects
        where object.layout === layout && object.isLoaded && !object.isDeleted {
            context.changes.entities[layout.index].overlay(object.objectID.key, on: &object.values)
        }
    }

    // MARK: Relationships elsewhere

    /// Brings what a relationship led to in line with what the document says it leads to.
    private func connect(_ relation: RelationBatch) throws(PersistenceError) {
        let relationship = relation.relationship
        let owners = resolutions[relation.entity]
        let members = resolutions[relationship.destination]
        let layout = context.model.layouts[relation.entity]
        if case .column(let column) = relationship.storage {
            try releaseHolders(of: relation, column, layout)
            return
        }
        var wanted: [Int64: Set<Int64>] = [:]
        for owner in relation.owners {
            if let key = owners.key(of: owner) { wanted[key] = [] }
        }
        for (owner, member) in relation.pairs {
            guard let owner = owners.key(of: owner), let member = members.key(of: member) else {
                continue
            }
            wanted[owner]?.insert(member)
        }
        switch relationship.storage {
        case .column: break
        case .inverseColumn(let column):
            let destination = context.model.layouts[relationship.destination]
            for (owner, current) in try present(wanted, relationship, layout) {
                for member in current where wanted[owner]?.contains(member) == false {
                    context.set(.null, column, of: member, in: destination)
                }
            }
        case .link(let link, let isForward):
            let current = try present(wanted, relationship, layout)
            let isSymmetric =
                relationship.inverse == relationship.index
                && relationship.destination == relation.entity
            for (owner, members) in wanted {
                let present = Set(current[owner] ?? [])
                for member in members.symmetricDifference(present) {
                    let pair = LinkPair(owner, member, isForward: isForward)
                    let isMember = members.contains(member)
                    context.changes.setLink(pair, link, isMember: isMember)
                    if isSymmetric {
                        context.changes.setLink(pair.reversed, link, isMember: isMember)
                    }
                }
            }
        }
    }

    /// Members of the owners that existed before; those made just now lead nowhere else.
    private func present(
        _ wanted: [Int64: Set<Int64>], _ relationship: RelationshipLayout, _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        let created = resolutions[layout.index].createdKeys
        let existing = wanted.keys.filter { !created.contains($0) }
        if existing.isEmpty { return [:] }
        return try context.members(of: existing, relationship, in: layout)
    }

    /// One-to-one: an object that another one led to is led to by the new one alone.
    private func releaseHolders(
        of relation: RelationBatch, _ column: Int, _ layout: EntityLayout
    ) throws(PersistenceError) {
        let destination = context.model.layouts[relation.relationship.destination]
        guard let inverse = relation.relationship.inverse,
            case let other = destination.relationships[inverse], !other.isToMany
        else { return }
        var holders: [Int64: Int64] = [:]
        for (owner, member) in relation.pairs {
            guard let owner = resolutions[layout.index].key(of: owner),
                let member = resolutions[destination.index].key(of: member)
            else { continue }
            holders[member] = owner
        }
        let current = try context.members(of: Array(holders.keys), other, in: destination)
        for (member, owners) in current {
            for owner in owners where owner != holders[member] {
                context.set(.null, column, of: owner, in: layout)
            }
        }
    }

    // MARK: Result

    func finish(into result: inout ImportResult) {
        var issues = batch.issues
        for entity in batch.entities where entity.count > 0 {
            let resolution = resolutions[entity.layout.index]
            result.insertedCount += resolution.created.count
            let standing = (0..<entity.count).count {
                resolution.canonical[$0] == $0 && resolution.key(of: $0) != nil
            }
            result.foundCount += standing - resolution.created.count
            for row in resolution.anonymous where !entity.isDropped[row] {
                issues.append(
                    ImportIssue(
                        node: entity.nodes[row], entity: entity.layout.index,
                        property: entity.layout.columns[entity.identity[0]].name,
                        code: .missingIdentity, expected: "an identity"))
            }
        }
        let root = resolutions[batch.plan.root.index]
        result.objectIDs = batch.roots.compactMap { row in
            root.key(of: row).map {
                ManagedObjectID(
                    key: $0, layout: batch.plan.root, store: context.database.identity)
            }
        }
        report(issues, into: &result.report)
    }

    /// Paths are rebuilt only for what is reported, in one pass over the tape.
    private func report(_ issues: [ImportIssue], into report: inout MappingReport) {
        guard !issues.isEmpty else { return }
        let sorted = issues.sorted { $0.node < $1.node }
        let kept = sorted.prefix(max(0, report.issueLimit - report.issues.count) + 1)
        let storage = node.storage
        let paths = withExtendedLifetime(storage) {
            storage.view(at: 0).paths(of: kept.map(\.node))
        }
        for (issue, path) in zip(kept, paths) {
            report.add(
                MappingIssue(
                    path: path, mapping: batch.plan.model.layouts[issue.entity].name,
                    property: issue.property, code: issue.code, expected: issue.expected,
                    found: Node(storage: storage, index: issue.node).kind.description))
        }
        for issue in sorted.dropFirst(kept.count) {
            report.add(
                MappingIssue(
                    path: DocumentPath([]), mapping: batch.plan.model.layouts[issue.entity].name,
                    property: issue.property, code: issue.code, expected: issue.expected,
                    found: ""))
        }
    }
}
