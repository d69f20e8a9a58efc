// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Takes the keys of rows that a save has found to exist already.
    ///
    /// The object of a new row becomes that of the stored one, unless the context has it already; it
    /// is then deleted.
    func take(_ replacements: KeyReplacements) {
        if replacements.isEmpty { return }
        top = top.replacing(replacements, in: model)
        for (old, new) in replacements.keys {
            guard let object = identityMap[old] else {
                identityMap[new]?.invalidate()
                continue
            }
            if let known = identityMap[new] {
                identityMap.remove(old)
                known.invalidate()
                object.markDeleted()
            } else {
                object.replaceKey(by: new)
                identityMap.register(object, replacing: old)
                object.invalidate()
            }
        }
        replaceReferences(replacements)
        journal.recordAll()
    }

    /// Replaces keys in the values that objects have read.
    private func replaceReferences(_ replacements: KeyReplacements) {
        for object in identityMap.objects where object.isLoaded {
            for column in object.layout.table.references {
                guard case .integer(let key) = object.values[column],
                    let new = replacements.keys[key]
                else { continue }
                object.take(.integer(new), column)
            }
        }
    }
}
