// SPDX-License-Identifier: Apache-2.0

extension MigrationPlanner {
    /// The pairs of an old relationship, as a query with the columns `source`, `target`, `tpos`, the
    /// position of the target among those of its source, and `spos`, that of the source.
    private struct Pairs {
        var sql: String
        /// The old column of the source's row if it can be copied as it is.
        var column: String?
        /// The old column with the position of the source's row among the sources of its target.
        var position: String?
        /// The old join table if its rows can be copied as they are.
        var linkTable: String?
        /// A Boolean value that indicates whether a source can have several targets.
        let isToMany: Bool
        /// A Boolean value that indicates whether a target can have several sources.
        let isFromMany: Bool
        let isSymmetric: Bool
    }

    // MARK: Columns

    /// Returns the foreign keys of an entity's rows and their positions.
    mutating func relationshipColumns(
        of layout: EntityLayout, _ source: EntityLayout
    ) -> [(name: String, expression: Expression)] {
        var columns: [(name: String, expression: Expression)] = []
        for relationship in layout.relationships {
            guard case .column(let index) = relationship.storage else { continue }
            let column = layout.columns[index]
            let path = layout.path(of: column.name, in: new)
            let inverse = relationship.inverse.map {
                new.layouts[relationship.destination].relationships[$0]
            }
            let pairs = pairs(relationship, layout, source)
            if let pairs { checkReduction(pairs, path, inverse, source) }
            let target = pairs.map { destination(in: $0, inverse) } ?? "NULL"
            if column.isRequired {
                check(
                    "SELECT count(*) FROM \(rows(of: source, where: "(\(target)) IS NULL"))",
                    "relationship \(path) is required and objects have no destination")
            }
            columns.append((column.name, Expression(sql: target)))
            guard let inverse, case .inverseColumn(_, let position?) = inverse.storage else {
                continue
            }
            let own =
                pairs.map { pairs in
                    pairs.position.map { "o.\(SQLIdentifier.quoted($0))" }
                        ?? "(SELECT spos FROM (\(pairs.sql)) "
                        + "WHERE source = o.\(EntityLayout.keyColumn) ORDER BY target LIMIT 1)"
                } ?? "NULL"
            columns.append((layout.columns[position].name, Expression(sql: own)))
        }
        return columns
    }

    /// Returns the destination of a row.
    private func destination(in pairs: Pairs, _ inverse: RelationshipLayout?) -> String {
        let key = "o.\(EntityLayout.keyColumn)"
        let target =
            pairs.column.map { "o.\(SQLIdentifier.quoted($0))" }
            ?? "(SELECT min(target) FROM (\(pairs.sql)) WHERE source = \(key))"
        guard inverse?.isToMany == false, pairs.isFromMany else { return target }
        return "CASE WHEN \(key) = (SELECT min(source) FROM (\(pairs.sql)) "
            + "WHERE target = \(target)) THEN \(target) END"
    }

    /// Checks that a relationship that becomes to-one had one destination at most, and its inverse.
    private mutating func checkReduction(
        _ pairs: Pairs, _ path: String, _ inverse: RelationshipLayout?, _ source: EntityLayout
    ) {
        func several(_ end: String) -> String {
            "SELECT count(*) FROM (SELECT 1 FROM (\(pairs.sql)) "
                + "WHERE source IN (SELECT o.\(EntityLayout.keyColumn) FROM \(rows(of: source))) "
                + "GROUP BY \(end) HAVING count(*) > 1)"
        }
        if pairs.isToMany {
            check(
                several("source"), path: path,
                "relationship \(path) becomes to-one and objects have several destinations")
        }
        if inverse?.isToMany == false, pairs.isFromMany {
            check(
                several("target"), path: path,
                "the inverse of relationship \(path) becomes to-one and destinations have several "
                    + "objects")
        }
    }

    // MARK: Join tables

    /// Returns the copies of the rows of a join table, one for each entity at its source.
    mutating func copies(of link: LinkLayout) -> [LinkCopy] {
        let names = ["source", "target"]
        let ordered =
            (link.isTargetOrdered ? [(LinkLayout.targetPosition, "tpos")] : [])
            + (link.isSourceOrdered ? [(LinkLayout.sourcePosition, "spos")] : [])
        let columns = (names + ordered.map(\.0)).joined(separator: ", ")
        let values = (names + ordered.map(\.1)).joined(separator: ", ")
        let target = SQLIdentifier.quoted(Self.newTable + link.table)
        var copies: [LinkCopy] = []
        for index in new.layouts[link.source].subentities {
            let layout = new.layouts[index]
            guard let source = models.source(of: layout),
                let relationship = layout.relationships.first(where: {
                    $0.name == link.relationship
                }), let pairs = pairs(relationship, layout, source)
            else { continue }
            let condition =
                source.condition("o") == nil
                ? ""
                : " WHERE source IN (SELECT o.\(EntityLayout.keyColumn) FROM \(rows(of: source)))"
            // A pair can come from two old relationships that are now one.
            let insertion = "INSERT OR IGNORE INTO \(target) (\(columns)) SELECT "
            copies.append(
                LinkCopy(
                    sql: "\(insertion)\(values) FROM (\(pairs.sql))\(condition)",
                    source: source, table: pairs.linkTable))
            if relationship.isSymmetric, !pairs.isSymmetric {
                copies.append(
                    LinkCopy(
                        sql: "\(insertion)target, source"
                            + ordered.map { _ in ", NULL" }.joined()
                            + " FROM (\(pairs.sql))\(condition)", source: source, table: nil))
            }
        }
        return copies
    }

    /// A copy of the rows of a join table.
    struct LinkCopy {
        let sql: String
        let source: EntityLayout
        /// The old join table if its rows are copied as they are.
        let table: String?
    }

    /// Returns a Boolean value that indicates whether the rows of a join table would be copied
    /// unchanged.
    func isKept(_ link: LinkLayout, _ copies: [LinkCopy]) -> Bool {
        guard let known = old.links.first(where: { $0.table == link.table }),
            old.schema.table(link.table)?.definitions
                == new.schema.table(link.table)?.definitions
        else { return false }
        return copies.allSatisfy { $0.table == link.table }
            && Set(copies.map(\.source.index)) == Set(old.layouts[known.source].subentities)
    }

    // MARK: Pairs

    /// Returns the pairs of the old relationship that a relationship, or its inverse, continues.
    private mutating func pairs(
        _ relationship: RelationshipLayout, _ layout: EntityLayout, _ source: EntityLayout
    ) -> Pairs? {
        let description = layout.relationshipDescriptions(in: new)[relationship.index]
        if let known = models.source(of: description, layout, in: source) {
            return pairs(known, of: source, relationship, layout)
        }
        let destination = new.layouts[relationship.destination]
        guard let index = relationship.inverse,
            let target = models.source(of: destination),
            let known = models.source(
                of: destination.relationshipDescriptions(in: new)[index], destination, in: target),
            old.layouts[known.destination].includes(source.index)
        else { return nil }
        let other = Self.query(known, of: target, in: old)
        usedStorages.insert(Self.storage(known, of: target, in: old))
        let isFromMany = known.isToMany
        let isToMany =
            known.inverse.map { old.layouts[known.destination].relationships[$0].isToMany } ?? true
        return Pairs(
            sql: "SELECT target AS source, source AS target, spos AS tpos, tpos AS spos "
                + "FROM (\(other))",
            isToMany: isToMany, isFromMany: isFromMany, isSymmetric: known.isSymmetric)
    }

    private mutating func pairs(
        _ known: RelationshipLayout, of source: EntityLayout, _ relationship: RelationshipLayout,
        _ layout: EntityLayout
    ) -> Pairs? {
        let destination = new.layouts[relationship.destination]
        let targets = old.layouts[known.destination].subentities
        let allowed = targets.filter { target in
            models.destinations[target].map { destination.includes($0) } ?? false
        }
        let lost = targets.filter { models.destinations[$0] != nil && !allowed.contains($0) }
        if allowed.isEmpty { return nil }
        usedStorages.insert(Self.storage(known, of: source, in: old))
        let query = Self.query(known, of: source, in: old)
        let path = layout.path(of: relationship.name, in: new)
        if !lost.isEmpty {
            check(
                "SELECT count(*) FROM (\(query)) WHERE target IN (\(keys(of: lost)))", path: path,
                "relationship \(path) has destinations of another entity")
        }
        var pairs = Pairs(
            sql: query, isToMany: known.isToMany,
            isFromMany: known.inverse.map {
                old.layouts[known.destination].relationships[$0].isToMany
            } ?? true, isSymmetric: known.isSymmetric)
        if allowed.count < targets.count {
            pairs.sql = "SELECT * FROM (\(query)) WHERE target IN (\(keys(of: allowed)))"
        } else if case .column(let column) = known.storage {
            pairs.column = source.columns[column].name
        } else if case .link(let index, true) = known.storage {
            pairs.linkTable = old.links[index].table
        }
        if case .column = known.storage { pairs.position = position(of: known, source) }
        return pairs
    }

    /// Returns the column beside a foreign key with the position of the row.
    private func position(of known: RelationshipLayout, _ source: EntityLayout) -> String? {
        guard let inverse = known.inverse,
            case .inverseColumn(_, let position?) =
                old.layouts[known.destination].relationships[inverse].storage
        else { return nil }
        return source.columns[position].name
    }

    /// Returns a query for the keys of the rows of old entities of one table.
    private func keys(of entities: [Int]) -> String {
        let table = old.layouts[entities[0]].table
        let query = "SELECT \(EntityLayout.keyColumn) FROM \(table.quoted)"
        if table.entityColumn == nil { return query }
        let names = entities.map { SQLIdentifier.literal(old.layouts[$0].name) }
        return query + " WHERE \(EntityLayout.entityColumn) IN (\(names.joined(separator: ", ")))"
    }

    /// Returns a query for the pairs of a relationship.
    private static func query(
        _ relationship: RelationshipLayout, of layout: EntityLayout, in model: ManagedObjectModel
    ) -> String {
        let key = EntityLayout.keyColumn
        switch relationship.storage {
        case .column(let column):
            let destination = model.layouts[relationship.destination]
            var position = "NULL"
            if let inverse = relationship.inverse,
                case .inverseColumn(_, let own?) = destination.relationships[inverse].storage
            {
                position = layout.columns[own].quoted
            }
            let name = layout.columns[column].quoted
            return "SELECT \(key) AS source, \(name) AS target, NULL AS tpos, \(position) AS spos "
                + "FROM \(layout.table.quoted) WHERE \(name) IS NOT NULL"
        case .inverseColumn(let column, let position):
            let table = model.layouts[relationship.destination].table
            let name = table.columns[column].quoted
            let own = position.map { table.columns[$0].quoted } ?? "NULL"
            return "SELECT \(name) AS source, \(key) AS target, \(own) AS tpos, NULL AS spos "
                + "FROM \(table.quoted) WHERE \(name) IS NOT NULL"
        case .link(let index, let isForward):
            let link = model.links[index]
            let target = link.isTargetOrdered ? LinkLayout.targetPosition : "NULL"
            let source = link.isSourceOrdered ? LinkLayout.sourcePosition : "NULL"
            return isForward
                ? "SELECT source, target, \(target) AS tpos, \(source) AS spos FROM \(link.quoted)"
                : "SELECT target AS source, source AS target, \(source) AS tpos, "
                    + "\(target) AS spos FROM \(link.quoted)"
        }
    }

    // MARK: Losses

    /// Returns the column or join table of a relationship.
    private static func storage(
        _ relationship: RelationshipLayout, of layout: EntityLayout, in model: ManagedObjectModel
    ) -> String {
        switch relationship.storage {
        case .column(let column):
            return "\(layout.table.name).\(layout.columns[column].name)"
        case .inverseColumn(let column, _):
            let table = model.layouts[relationship.destination].table
            return "\(table.name).\(table.columns[column].name)"
        case .link(let index, _): return model.links[index].table
        }
    }

    /// Adds the checks of relationships that no new one continues.
    mutating func addRelationshipLosses() {
        for source in old.layouts where models.destinations[source.index] != nil {
            for relationship in source.relationships.suffix(
                source.description.relationships.count)
            {
                if case .inverseColumn = relationship.storage { continue }
                if !relationship.isForward { continue }
                if usedStorages.contains(Self.storage(relationship, of: source, in: old)) {
                    continue
                }
                // The removal of the destination's objects is a loss of its own.
                let targets = old.layouts[relationship.destination].subentities.filter {
                    models.destinations[$0] != nil
                }
                if targets.isEmpty { continue }
                let path = "\(source.name).\(relationship.name)"
                if readPaths.contains(path) { continue }
                check(
                    "SELECT count(*) FROM (\(Self.query(relationship, of: source, in: old))) "
                        + "WHERE target IN (\(keys(of: targets)))", path: path,
                    "relationship \(path) is removed and has destinations")
            }
        }
    }
}
