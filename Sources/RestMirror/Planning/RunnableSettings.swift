// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The settings of definitions that runs do not follow yet.
///
/// A run that ignored one would pass an incomplete list for a complete one, or send more than was allowed.
enum RunnableSettings {
    /// Checks that a run follows all settings of a definition.
    ///
    /// - Throws: ``MirrorError`` with code `invalidDefinition`, and each setting with what to write instead.
    static func check(_ definition: Definition) throws(MirrorError) {
        var details: [String] = []
        if definition.api.budget.ceiling != nil {
            details.append("api.budget.ceiling is not followed by runs; remove it")
        }
        for resource in definition.resources {
            let place = "resources.\(resource.name)"
            if case .custom(let name)? = (resource.pagination ?? definition.api.pagination)?.rule {
                details.append(
                    "\(place).pagination: no program registers the rule “\(name)”; use one of the other rules"
                )
            }
            guard let cursor = resource.cursor else { continue }
            if !cursor.isPerParent {
                details.append(
                    "\(place).cursor.per_parent: each parent has its own position; remove the setting"
                )
            }
            if case .count? = cursor.step {
                details.append(
                    "\(place).cursor.step: steps are durations between dates; write one, or remove it"
                )
            }
        }
        if !details.isEmpty { throw MirrorError(.invalidDefinition, details: details) }
    }
}
