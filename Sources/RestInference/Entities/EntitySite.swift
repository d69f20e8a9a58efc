// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A place at which objects were observed that have rows of their own: the records of a resource, or
/// objects in
/// records with an identity, or objects of a list.
struct EntitySite: Sendable {
    /// The site whose objects contain these; `nil` for records.
    let parent: Int?
    /// The path from an object of the parent.
    let path: DocumentPath
    /// The name of the resource, or the key.
    let name: String
    /// Other names of the records, such as the component of the path before the last one.
    var otherNames: [String] = []
    let isList: Bool
    /// A Boolean value that indicates whether the name is that of a kind of objects, not of one object.
    var isNamed = true
    let objects: ObjectStatistics
    let identity: IdentityChoice?
    /// The index of the resource of records; `nil` for other objects.
    let resource: Int?

    /// A Boolean value that indicates whether the objects are records of a resource.
    var isRoot: Bool { parent == nil }
}

/// A collection of the places of objects with rows.
struct SiteCollector {
    /// The maximum number of places; deeper objects are JSON.
    private static let maximumCount = 2_000
    /// The maximum depth of objects without an identity whose members are columns.
    static let maximumEmbeddingDepth = 4

    private(set) var sites: [EntitySite] = []

    /// Adds the records of a resource and the objects inside of them.
    mutating func add(
        records: ObjectStatistics, name: String, otherNames: [String] = [], resource: Int?,
        isSingle: Bool, isNamed: Bool = true
    ) {
        let isList = !isSingle || records.count > 1
        let choice = IdentityChoice.choose(records, name: Words.entityName(name), isList: isList)
        // A name or a title is less than a number in an object about the record.
        let isStrong = choice?.keys.allSatisfy { IdentityNames.rank(of: $0) ?? 0 < 28 } == true
        let identity = isStrong ? choice : IdentityChoice.chooseInner(records) ?? choice
        add(
            EntitySite(
                parent: nil, path: .root, name: name, otherNames: otherNames, isList: !isSingle,
                isNamed: isNamed, objects: records,
                identity: identity, resource: resource))
    }

    private mutating func add(_ site: EntitySite) {
        guard sites.count < Self.maximumCount else { return }
        sites.append(site)
        collect(
            site.objects, sites.count - 1, .root, embedding: 0, embedded: site.identity?.innerKey)
    }

    private mutating func collect(
        _ objects: ObjectStatistics, _ parent: Int, _ path: DocumentPath, embedding: Int,
        embedded: String? = nil
    ) {
        for (key, field) in zip(objects.keys, objects.fields) {
            let inner = path.appending(key: key)
            if let element = field.elements.first, field.arrayCount + field.nullCount == field.count
            {
                collectList(element, parent, inner, key)
            } else if let object = field.objects.first,
                field.objectCount + field.nullCount + field.scalarCount == field.count
            {
                if key == embedded, embedding == 0 {
                    collect(object, parent, inner, embedding: 1)
                } else {
                    collectObject(object, field, parent, inner, key, embedding)
                }
            }
        }
    }

    /// Returns the type of resource identifiers of JSON:API, which contain nothing but a type and an
    /// identity.
    private static func typedName(_ objects: ObjectStatistics) -> String? {
        let keys: Set<String> = ["type", "id", "meta", "links", "lid"]
        guard Set(objects.keys).isSubset(of: keys), objects["id"] != nil,
            let type = objects["type"],
            type.texts.count == objects.count, type.examples.count == 1
        else { return nil }
        return type.examples[0]
    }

    private mutating func collectList(
        _ element: ValueStatistics, _ parent: Int, _ path: DocumentPath, _ key: String
    ) {
        guard let objects = element.objects.first, element.objectCount == element.count,
            !objects.isDictionary
        else { return }
        let name = Self.typedName(objects) ?? key
        let identity = IdentityChoice.choose(
            objects, name: Words.entityName(name), isList: false, isElement: true)
        add(
            EntitySite(
                parent: parent, path: path, name: name, isList: true, objects: objects,
                identity: identity, resource: nil))
    }

    private mutating func collectObject(
        _ object: ObjectStatistics, _ field: ValueStatistics, _ parent: Int, _ path: DocumentPath,
        _ key: String, _ embedding: Int
    ) {
        guard !object.isDictionary else { return }
        let name = Self.typedName(object) ?? key
        let identity = IdentityChoice.choose(object, name: Words.entityName(name), isList: false)
        if identity != nil {
            add(
                EntitySite(
                    parent: parent, path: path, name: name, isList: false, objects: object,
                    identity: identity, resource: nil))
        } else if field.scalarCount == 0, !object.isOpen(key),
            embedding < Self.maximumEmbeddingDepth
        {
            collect(object, parent, path, embedding: embedding + 1)
        }
    }
}
