// SPDX-License-Identifier: Apache-2.0

extension EntityDescription {
    /// Creates a description of the entity of a class; `@Entity` expands to it.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - name: The name of the entity; `nil` for the name of the class.
    ///   - formerNames: The names of the entity in earlier models, the latest first.
    ///   - superentity: The class to inherit properties from; `nil` for none.
    ///   - properties: All properties in the order of declaration. Accessors use the index. Those of
    ///     the super-entity come first, with key paths of this class.
    public init<Object: ManagedEntity>(
        _ type: Object.Type, name: String? = nil, renamedFrom formerNames: [String] = [],
        inheriting superentity: (any ManagedEntity.Type)? = nil,
        _ properties: [EntityProperty<Object>]
    ) {
        let own = properties.dropFirst(superentity?.entity.propertyCount ?? 0)
        self.init(
            name ?? String(describing: type), of: type, inheriting: superentity,
            attributes: own.compactMap(\.attribute),
            relationships: own.compactMap(\.relationship), renamedFrom: formerNames)
        order = own.map(\.name)
        hiddenNames = Set(own.filter(\.isHidden).map(\.name))
        for property in properties { paths[PropertyPath(property.path)] = property.name }
    }
}
