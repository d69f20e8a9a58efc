// SPDX-License-Identifier: Apache-2.0

/// Derives the plan of a migration from two models and the steps of the configuration.
///
/// A table whose columns or sources change is written anew under a temporary name, one `INSERT … SELECT`
/// for each entity, and takes the place of the old one after all tables are copied. A table that only
/// gains columns without values gets these columns. Other tables are left as they are. Each loss and each
/// obstacle is a query that counts the rows concerned.
struct MigrationPlanner {
    /// A query that counts rows that lose a value or cannot be migrated.
    struct Check {
        let sql: String
        /// The path with which a step permits the loss; `nil` if a step cannot permit it.
        let path: String?
        /// The text of the problem, which the number of rows follows.
        let text: String
    }

    /// An expression over the alias `o` of a row of the old table.
    struct Expression {
        var sql: String
        /// A Boolean value that indicates whether null is possible.
        var isNullable = true
    }

    /// The prefix of the temporary names of new tables.
    static let newTable = "restkit_new_"

    let models: ModelCorrespondence
    let steps: [MigrationStep]
    var plan = MigrationPlan()
    private(set) var checks: [Check] = []
    /// The permitted losses.
    let discarded: Set<String>
    /// The entities and properties of the file that SQL of steps reads.
    let readPaths: Set<String>
    /// The old properties that a new one continues, by the index of the new entity.
    var usedAttributes: [Int: Set<String>] = [:]
    /// The storages of old relationships that a new one continues.
    var usedStorages: Set<String> = []

    var old: ManagedObjectModel { models.old }
    var new: ManagedObjectModel { models.new }

    init(from old: ManagedObjectModel, to new: ManagedObjectModel, steps: [MigrationStep]) {
        models = ModelCorrespondence(old: old, new: new)
        self.steps = steps
        discarded = Set(
            steps.compactMap { step in
                if case .discard(let path) = step.kind { path } else { nil }
            })
        readPaths = Self.readPaths(of: steps, in: old)
        plan.changes = ModelChanges(models).lines
        guard !plan.changes.isEmpty else { return }
        let kept = addTables()
        addLosses()
        checkSteps()
        plan.parts += conclusions
        if kept.isEmpty { return }
        for name in kept { plan.add("DROP TABLE \(SQLIdentifier.quoted(Self.oldTable + name))") }
        plan.add("PRAGMA legacy_alter_table = OFF")
    }

    mutating func check(_ sql: String, path: String? = nil, _ text: String) {
        checks.append(Check(sql: sql, path: path, text: text))
    }

    // MARK: Tables

    /// Adds the statements that create, copy and remove tables.
    ///
    /// - Returns: The old tables that have another name until the steps have run.
    private mutating func addTables() -> [String] {
        var rebuilt: [String: [String]] = [:]
        var order: [String] = []
        for table in new.tables {
            let copies = copies(of: table)
            if let added = addedColumns(of: table, copies) {
                for column in added { plan.add("ALTER TABLE \(table.quoted) ADD COLUMN \(column)") }
                continue
            }
            order.append(table.name)
            rebuilt[table.name] = copies.map(\.sql)
        }
        for link in new.links {
            let copies = copies(of: link)
            if isKept(link, copies) { continue }
            order.append(link.table)
            rebuilt[link.table] = copies.map(\.sql)
        }
        for object in new.schema.objects where object.owner == nil && rebuilt[object.name] != nil {
            plan.add(object.sql(named: Self.newTable + object.name))
        }
        for name in order {
            for copy in rebuilt[name] ?? [] { plan.add(copy) }
        }
        let names = Set(new.schema.objects.filter { $0.owner == nil }.map(\.name))
        let dropped = old.schema.objects.filter { object in
            object.owner == nil && (rebuilt[object.name] != nil || !names.contains(object.name))
        }
        let areKept = !readPaths.isEmpty && !dropped.isEmpty
        // Otherwise, renaming a table changes the foreign keys that refer to it.
        if areKept { plan.add("PRAGMA legacy_alter_table = ON") }
        for object in dropped {
            let name = SQLIdentifier.quoted(object.name)
            if areKept {
                for index in old.schema.objects where index.owner == object.name {
                    plan.add("DROP INDEX \(SQLIdentifier.quoted(index.name))")
                }
                let kept = SQLIdentifier.quoted(Self.oldTable + object.name)
                plan.add("ALTER TABLE \(name) RENAME TO \(kept)")
            } else {
                plan.add("DROP TABLE \(name)")
            }
        }
        for name in order {
            plan.add(
                "ALTER TABLE \(SQLIdentifier.quoted(Self.newTable + name)) "
                    + "RENAME TO \(SQLIdentifier.quoted(name))")
        }
        addIndexes(rebuilt: Set(order), dropped: Set(dropped.map(\.name)))
        return areKept ? dropped.map(\.name) : []
    }

    private mutating func addIndexes(rebuilt: Set<String>, dropped: Set<String>) {
        let wanted = new.schema.objects.filter { $0.owner != nil }
        let present = old.schema.objects.filter { index in
            index.owner.map { !dropped.contains($0) } ?? false
        }
        let kept = Set(wanted.map(\.sql)).intersection(present.map(\.sql))
        for index in present where !kept.contains(index.sql) {
            plan.add("DROP INDEX \(SQLIdentifier.quoted(index.name))")
        }
        for index in wanted where !kept.contains(index.sql) { plan.add(index.sql) }
        for layout in new.layouts {
            let identity = layout.description.attributes.filter(\.isIdentity)
            if !identity.isEmpty { checkIdentity(identity.map(\.name), of: layout) }
        }
    }

    /// A copy of the rows of one entity.
    struct Copy {
        let sql: String
        /// The expressions, by the name of the column.
        let expressions: [String: Expression]
        let source: EntityLayout
    }

    private mutating func copies(of table: TableLayout) -> [Copy] {
        table.entities.compactMap { index in
            let layout = new.layouts[index]
            guard let source = models.source(of: layout) else { return nil }
            var columns: [(name: String, expression: Expression)] = []
            for attribute in layout.attributes(in: new) {
                columns.append((attribute.name, expression(of: attribute, layout, source)))
            }
            columns += relationshipColumns(of: layout, source)
            if table.entityColumn != nil {
                columns.append(
                    (
                        EntityLayout.entityColumn,
                        Expression(sql: SQLIdentifier.literal(layout.name), isNullable: false)
                    ))
            }
            let names = [EntityLayout.keyColumn] + columns.map { SQLIdentifier.quoted($0.name) }
            let values = ["o.\(EntityLayout.keyColumn)"] + columns.map(\.expression.sql)
            let target = SQLIdentifier.quoted(Self.newTable + table.name)
            return Copy(
                sql: "INSERT INTO \(target) (\(names.joined(separator: ", "))) "
                    + "SELECT \(values.joined(separator: ", ")) FROM \(rows(of: source))",
                expressions: Dictionary(columns.map { ($0.name, $0.expression) }) { $1 },
                source: source)
        }
    }

    /// Returns the `FROM` clause of the rows of an old entity, under the alias `o`.
    func rows(of source: EntityLayout, where condition: String? = nil) -> String {
        let conditions = [source.condition("o"), condition].compactMap(\.self)
        return "\(source.table.quoted) o"
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    }

    /// Returns the definitions of the columns that a table gains if its rows would be copied unchanged,
    /// with null in these columns; `nil` if they would not.
    private func addedColumns(of table: TableLayout, _ copies: [Copy]) -> [String]? {
        guard let source = old.tables.first(where: { $0.name == table.name }),
            let before = old.schema.table(source.name)?.definitions,
            let after = new.schema.table(table.name)?.definitions,
            after.isSuperset(of: before), source.entities.count == copies.count
        else { return nil }
        let known = Set(source.columns.map(\.name))
        var added: [String] = []
        for column in table.columns where !known.contains(column.name) {
            guard let definition = after.first(where: { $0.hasPrefix(column.quoted + " ") }),
                !column.isRequired
            else { return nil }
            added.append(definition)
        }
        guard after.count == before.count + added.count else { return nil }
        let isUnchanged = copies.allSatisfy { copy in
            copy.source.table === source
                && copy.expressions.allSatisfy { name, expression in
                    if name == EntityLayout.entityColumn {
                        return expression.sql == SQLIdentifier.literal(copy.source.name)
                    }
                    return expression.sql
                        == (known.contains(name) ? "o.\(SQLIdentifier.quoted(name))" : "NULL")
                }
        }
        return isUnchanged ? added : nil
    }

    // MARK: Checks of rows

    /// Checks that the combinations of identification attributes are unique after the migration.
    private mutating func checkIdentity(_ names: [String], of layout: EntityLayout) {
        var selections: [String] = []
        for index in layout.subentities {
            let entity = new.layouts[index]
            guard let source = models.source(of: entity) else { continue }
            let attributes = entity.attributes(in: new).filter { names.contains($0.name) }
            let values = attributes.enumerated().map { position, attribute in
                "\(value(of: attribute, entity, source).sql) AS c\(position)"
            }
            selections.append(
                "SELECT \(values.joined(separator: ", ")) FROM \(rows(of: source))")
        }
        if selections.isEmpty { return }
        let columns = names.indices.map { "c\($0)" }
        let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        check(
            """
            SELECT count(*) FROM (SELECT 1 FROM (\(selections.joined(separator: " UNION ALL "))) \
            WHERE \(present) GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1)
            """,
            "identity \(layout.name).\(names.joined(separator: ", ")) has values that several "
                + "objects share")
    }

    /// Adds the checks of entities and properties that no new one continues.
    private mutating func addLosses() {
        for source in old.layouts {
            guard let destination = models.destinations[source.index] else {
                if readPaths.contains(source.name) { continue }
                check(
                    "SELECT count(*) FROM \(rows(of: source))", path: source.name,
                    "entity \(source.name) is removed and has objects")
                continue
            }
            for attribute in source.attributes(in: old)
            where usedAttributes[destination]?.contains(attribute.name) != true {
                let path = source.path(of: attribute.name, in: old)
                if readPaths.contains(path) { continue }
                let column = "o.\(SQLIdentifier.quoted(attribute.name))"
                check(
                    "SELECT count(*) FROM \(rows(of: source, where: "\(column) IS NOT NULL"))",
                    path: path, "attribute \(path) is removed and has values")
            }
        }
        addRelationshipLosses()
    }
}

extension SchemaPlan {
    /// Returns the table with a name.
    func table(_ name: String) -> Object? {
        objects.first { $0.owner == nil && $0.name == name }
    }
}
