// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Takes the keys of rows that a save has found to exist already.
    ///
    /// The object of a new row becomes that of the stored one, unless the context has it already; it
    /// is then deleted.
    func take(_ replacements: KeyReplacements) {
        if replacements.isEmpty { return }
        layered.layers.top = layered.layers.top.replacing(replacements, in: model)
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
        for object in identityMap.objects { object.replaceReferences(by: replacements.keys) }
        record { $0.recordAll() }
    }
}

extension ManagedObject {
    /// Replaces keys in the values that the object has read.
    fileprivate final func replaceReferences(by keys: [Int64: Int64]) {
        if !isLoaded { return }
        for column in layout.table.references {
            guard case .integer(let key) = values[column], let new = keys[key] else { continue }
            take(.integer(new), column)
        }
    }
}
