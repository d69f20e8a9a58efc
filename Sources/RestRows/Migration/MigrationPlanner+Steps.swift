// SPDX-License-Identifier: Apache-2.0

extension MigrationPlanner {
    /// The prefix of the names of old tables that steps read.
    static let oldTable = "restkit_old_"

    /// Returns the statements of the steps that run before the rows are checked, with their names.
    static func preparations(
        of steps: [MigrationStep], in old: ManagedObjectModel
    ) -> [MigrationPlan.Statement] {
        steps.enumerated().compactMap { index, step in
            guard case .prepare(let sql, let sources) = step.kind,
                sources.allSatisfy({ old.declaringPath($0) != nil })
            else { return nil }
            return MigrationPlan.Statement(sql: sql, step: step.label(at: index))
        }
    }

    /// Returns the statements of the steps that run on the tables of the new model, with their names.
    var conclusions: [MigrationPlan.Statement] {
        steps.enumerated().compactMap { index, step in
            guard case .sql(let sql, let sources) = step.kind,
                sources.allSatisfy({ old.declaringPath($0) != nil })
            else { return nil }
            return MigrationPlan.Statement(sql: sql, step: step.label(at: index))
        }
    }

    /// The entities and properties of the file that statements read, whose removal is no loss.
    static func readPaths(of steps: [MigrationStep], in old: ManagedObjectModel) -> Set<String> {
        var paths: Set<String> = []
        for step in steps {
            guard case .sql(_, let sources) = step.kind else { continue }
            let known = sources.compactMap { old.declaringPath($0) }
            if known.count == sources.count { paths.formUnion(known) }
        }
        return paths
    }

    /// Adds the problems of steps with names that the new model does not have, and names the steps that
    /// have no effect on the file.
    mutating func checkSteps() {
        let permissible = Set(checks.compactMap(\.path))
        for (index, step) in steps.enumerated() {
            switch step.kind {
            case .value(let entity, let attribute, let sources, _):
                let layouts = new.layouts.filter { layout in
                    layout.lineage(in: new).contains { $0.name == entity }
                        && layout.attributes(in: new).contains { $0.name == attribute }
                }
                if layouts.isEmpty {
                    plan.problems.append(
                        "the step for \(entity).\(attribute) names no attribute of the model; correct "
                            + "or remove the step")
                    continue
                }
                let origins = layouts.compactMap { models.source(of: $0) }
                if origins.isEmpty { continue }
                for source in sources
                where !origins.contains(where: { layout in
                    layout.attributes(in: old).contains { $0.name == source }
                }) {
                    plan.ignored.append(
                        "the step for \(entity).\(attribute), as the file has no attribute \(source) of "
                            + origins[0].name)
                }
            case .discard(let path):
                if permissible.contains(path) || old.declaringPath(path) != nil
                    || new.declaringPath(path) != nil
                {
                    continue
                }
                plan.ignored.append(
                    "the permission to discard \(path), which neither the file nor the model has")
            case .prepare(_, let sources), .sql(_, let sources):
                for source in sources where old.declaringPath(source) == nil {
                    plan.ignored.append(
                        "\(step.label(at: index)), as the file does not have \(source)")
                }
            }
        }
    }
}

extension MigrationStep {
    /// The name of a step in errors.
    fileprivate func label(at index: Int) -> String {
        switch kind {
        case .value(let entity, let attribute, _, _): "the step for \(entity).\(attribute)"
        case .discard(let path): "the permission to discard \(path)"
        case .prepare: "the preparation that is step \(index + 1)"
        case .sql: "the SQL that is step \(index + 1)"
        }
    }
}

extension ManagedObjectModel {
    /// Returns the name of an entity, or a property as its declaring entity and name; `nil` if the model
    /// does not have it.
    func declaringPath(_ path: String) -> String? {
        let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let index = index(of: String(parts[0])) else { return nil }
        if parts.count == 1 { return path }
        let (layout, name) = (layouts[index], String(parts[1]))
        return layout.propertyIndices[name] == nil ? nil : layout.path(of: name, in: self)
    }
}
