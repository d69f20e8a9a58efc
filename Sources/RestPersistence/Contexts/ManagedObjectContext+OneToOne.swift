// SPDX-License-Identifier: Apache-2.0

/// One-to-one relationships that several contexts set.
///
/// The destination has one source in each context, but the source that another context sets is in
/// another row, so that no row has two values.
extension ManagedObjectContext {
    /// Clears the references of sources that others have set, if this level has set another source of
    /// the same destination.
    func clearOtherSources(of object: ManagedObject) throws(PersistenceError) {
        let key = object.objectID.key
        for relationship in object.layout.relationships where relationship.isOneToOne {
            let destination = model.layouts[relationship.destination]
            switch relationship.storage {
            case .column(let column):
                if relationship.isSymmetric {
                    try clearPartner(of: object, column)
                    continue
                }
                let value = layered.layers.top.tables[object.layout.table.index].changedValue(
                    key, column)
                guard let inverse = relationship.inverse, case .integer(let target) = value else {
                    continue
                }
                try clearSources(
                    of: target, except: key, destination.relationships[inverse], destination)
            case .inverseColumn(let column, _):
                let own = layered.layers.top.update(destination.table.index) {
                    $0.references(to: key, column)
                }
                guard let source = own.max() else { continue }
                try clearSources(of: key, except: source, relationship, object.layout)
            case .link: continue
            }
        }
    }

    private func clearSources(
        of key: Int64, except source: Int64, _ relationship: RelationshipLayout,
        _ layout: EntityLayout
    ) throws(PersistenceError) {
        guard case .inverseColumn(let column, _) = relationship.storage else { return }
        let sources = try layered.members(of: [key], relationship, in: layout)[key] ?? []
        for other in OneToOneRule.displaced(by: source, among: sources) {
            set(
                .null, column, of: other, in: model.layouts[relationship.destination],
                base: .integer(key))
        }
    }

    /// Clears the reference of the object's partner below this level, if this level has set another
    /// partner.
    private func clearPartner(of object: ManagedObject, _ column: Int) throws(PersistenceError) {
        let (key, layout) = (object.objectID.key, object.layout)
        guard let value = layered.layers.top.tables[layout.table.index].changedValue(key, column),
            case .integer(let partner) = try rowBelow(key, layout)?[column],
            value != .integer(partner),
            try layered.rows([partner], layout)[partner]?[column] == .integer(key)
        else { return }
        set(.null, column, of: partner, in: layout, base: .integer(key))
    }
}
