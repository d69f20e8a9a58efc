// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The invariants of files that are read as definitions.
package enum DefinitionInvariants {
    /// Reads an input as a definition in JSON.
    ///
    /// - Returns: A Boolean value that indicates whether the input is a valid definition.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let file: DefinitionFile
        do throws(DefinitionError) {
            file = try DefinitionFile(parsingJSON: input)
        } catch {
            try require(!error.diagnostics.isEmpty, "an invalid definition has a diagnostic")
            for diagnostic in error.diagnostics {
                try require(diagnostic.location != nil, "\(diagnostic) has a position")
                try require(!diagnostic.advice.isEmpty, "\(diagnostic) says what to write")
            }
            return false
        }
        let definition = file.definition
        try require(definition.diagnostics().isEmpty, "a read definition has no diagnostic")
        let written = JSONWriter.compact.bytes(of: definition.json())
        let (again, stored): (Definition, Definition)
        do throws(DefinitionError) {
            again = try DefinitionFile(parsingJSON: written).definition
            stored = try Definition(parsingStoredJSON: written)
        } catch {
            throw BrokenInvariant(description: "a written definition is read: \(error)")
        }
        try require(again == definition, "a definition survives a round trip")
        try require(stored == definition, "a stored definition is the written one")
        let settings = file.effectiveSettings()
        try require(
            Set(settings.map(\.path)).count == settings.count, "a setting is listed once")
        return true
    }
}
