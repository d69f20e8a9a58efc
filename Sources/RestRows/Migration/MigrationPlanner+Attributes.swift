// SPDX-License-Identifier: Apache-2.0

extension MigrationPlanner {
    /// Returns the value of an attribute for the copy of an entity's rows, and adds its checks.
    mutating func expression(
        of attribute: AttributeDescription, _ layout: EntityLayout, _ source: EntityLayout
    ) -> Expression {
        let path = layout.path(of: attribute.name, in: new)
        if let step = step(for: attribute, layout, source) {
            usedAttributes[layout.index, default: []].formUnion(step.sources.map(\.name))
            switch step.computation {
            case .function(let compute): addFunction(step, path, attribute.type, compute)
            case .sql:
                plan.expressions.append(
                    MigrationPlan.Statement(
                        sql: "SELECT \(step.sql(attribute.type)) FROM \(rows(of: source))",
                        step: "the step for \(path)"))
            }
        } else if let known = models.source(of: attribute, layout, in: source) {
            usedAttributes[layout.index, default: []].insert(known.name)
            checkConversion(of: known, to: attribute, path, source)
        }
        let expression = value(of: attribute, layout, source)
        if !attribute.isOptional, expression.isNullable {
            check(
                "SELECT count(*) FROM "
                    + rows(of: source, where: "(\(expression.sql)) IS NULL"),
                "attribute \(path) is required and has no default for objects without a value")
        }
        return expression
    }

    /// Returns the value of an attribute for the rows of an old entity.
    func value(
        of attribute: AttributeDescription, _ layout: EntityLayout, _ source: EntityLayout
    ) -> Expression {
        var expression: Expression
        if let step = step(for: attribute, layout, source) {
            expression = Expression(sql: step.sql(attribute.type))
        } else if let known = models.source(of: attribute, layout, in: source) {
            let column = "o.\(SQLIdentifier.quoted(known.name))"
            let conversion = AttributeConversion(column, from: known.type, to: attribute.type)
            expression = Expression(
                sql: conversion?.fittingValue ?? "NULL",
                isNullable: known.isOptional || conversion?.fits != nil || conversion == nil)
        } else {
            return Expression(
                sql: attribute.defaultValue.literal, isNullable: attribute.defaultValue.isNull)
        }
        if !attribute.isOptional, expression.isNullable, !attribute.defaultValue.isNull {
            expression = Expression(
                sql: "coalesce(\(expression.sql), \(attribute.defaultValue.literal))",
                isNullable: false)
        }
        return expression
    }

    /// Returns the value of an attribute for a single value of the old attribute that it continues, over
    /// an alias `o` with that value alone; `nil` if it depends on other attributes.
    func value(
        of attribute: AttributeDescription, _ layout: EntityLayout, _ source: EntityLayout,
        dependingOn name: String
    ) -> String? {
        if let step = step(for: attribute, layout, source), step.sources.map(\.name) != [name] {
            return nil
        }
        return value(of: attribute, layout, source).sql
    }

    private mutating func checkConversion(
        of known: AttributeDescription, to attribute: AttributeDescription, _ path: String,
        _ source: EntityLayout
    ) {
        let column = "o.\(SQLIdentifier.quoted(known.name))"
        let change = "attribute \(path) changes from \(known.type) to \(attribute.type)"
        guard let conversion = AttributeConversion(column, from: known.type, to: attribute.type)
        else {
            check(
                "SELECT count(*) FROM \(rows(of: source, where: "\(column) IS NOT NULL"))",
                path: path, "\(change), which needs a step for objects with a value")
            return
        }
        guard let fits = conversion.fits else { return }
        check(
            "SELECT count(*) FROM \(rows(of: source, where: "NOT (\(fits))"))", path: path,
            "\(change), which loses values")
    }

    // MARK: Steps

    /// A step that applies to an attribute of the rows of an old entity.
    private struct ValueStep {
        let name: String
        let sources: [AttributeDescription]
        let computation: MigrationStep.Computation

        /// Returns the expression over the old row for a new value of a type.
        ///
        /// Texts pass as BLOBs, which keep NUL characters.
        func sql(_ type: AttributeType) -> String {
            switch computation {
            case .sql(let text): return "(\(text))"
            case .function:
                let arguments = sources.map { source in
                    let column = "o.\(SQLIdentifier.quoted(source.name))"
                    return source.type.isText ? "CAST(\(column) AS BLOB)" : column
                }
                let call = "\(name)(\(arguments.joined(separator: ", ")))"
                return type.isText ? "CAST(\(call) AS TEXT)" : call
            }
        }
    }

    /// Returns the step for an attribute, unless the file lacks an attribute that it reads.
    private func step(
        for attribute: AttributeDescription, _ layout: EntityLayout, _ source: EntityLayout
    ) -> ValueStep? {
        let lineage = Set(layout.lineage(in: new).map(\.name))
        let known = source.attributes(in: old)
        for (index, step) in steps.enumerated() {
            guard case .value(let entity, let name, let names, let computation) = step.kind,
                lineage.contains(entity), name == attribute.name
            else { continue }
            let sources = names.compactMap { name in known.first { $0.name == name } }
            guard sources.count == names.count else { continue }
            return ValueStep(
                name: "restkit_step_\(index)", sources: sources, computation: computation)
        }
        return nil
    }

    private mutating func addFunction(
        _ step: ValueStep, _ path: String, _ type: AttributeType,
        _ compute: @escaping @Sendable (MigrationRow) throws -> StoredValue
    ) {
        guard !plan.functions.contains(where: { $0.name == step.name }) else { return }
        plan.functions.append(
            MigrationFunction(
                name: step.name, path: path, type: type, sources: step.sources, compute: compute))
    }
}
