// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestPersistence
import RestRows

/// The migration of a file whose attributes get wider types.
enum TypeMigration {
    /// Returns the migration from the definition of a file to another one.
    ///
    /// Other changes follow from the models.
    static func migration(from old: Definition?, to new: Definition) -> StoreMigration {
        var steps: [MigrationStep] = []
        for entity in new.entities {
            for attribute in entity.attributes {
                let known = old?.entity(named: entity.name)?.attribute(named: attribute.name)
                guard let known, known.type != attribute.type,
                    let sql = expression(attribute.name, from: known.type, to: attribute.type)
                else { continue }
                steps.append(
                    .value(attribute.name, of: entity.name, from: [attribute.name], sql: sql))
            }
        }
        return .automatic(steps)
    }

    /// Returns the value of a column in a wider type; `nil` if the models determine it.
    private static func expression(
        _ name: String, from old: AttributeDefinition.ValueType,
        to new: AttributeDefinition.ValueType
    ) -> String? {
        let column = "\"" + name.replacing("\"", with: "\"\"") + "\""
        let boolean = "CASE \(column) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"
        switch (old, new) {
        case (.boolean, .json), (.boolean, .text): return boolean
        case (.integer, .json), (.double, .json), (.decimal, .json), (.unsignedInteger, .json):
            return "CAST(\(column) AS TEXT)"
        case (.data, _): return nil
        case (_, .json): return "json_quote(\(column))"
        case (_, .text), (.integer, .decimal), (.double, .decimal), (.unsignedInteger, .decimal):
            return "CAST(\(column) AS TEXT)"
        case (.integer, .double): return "CAST(\(column) AS REAL)"
        default: return nil
        }
    }
}
