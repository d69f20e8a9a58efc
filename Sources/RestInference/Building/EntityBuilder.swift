// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A builder of an entity from the facts about its objects.
struct EntityBuilder {
    /// The maximum number of columns; further members are ignored with a comment.
    private static let maximumColumnCount = 1_000

    private let model: EntityModel
    private let index: Int
    private var names = DistinctNames()
    private var definition: EntityDefinition
    /// The names of the columns of the identity, by key.
    private var identityNames: [String: String] = [:]
    private(set) var evidence: [DocumentPath: Evidence] = [:]

    init(_ model: EntityModel, _ index: Int) {
        self.model = model
        self.index = index
        definition = EntityDefinition(name: model.groups[index].name, infersAttributes: false)
    }

    private var group: EntityModel.Group { model.groups[index] }

    mutating func entity() -> EntityDefinition {
        // The columns of the identity come first and keep their names.
        for key in group.identity {
            identityNames[key] = names.distinct(Self.columnName(key.replacing(".", with: "_")))
        }
        visit(group.objects, .root, prefix: "", embedding: 0)
        definition.identity = group.identity.compactMap { identityNames[$0] }
        note(["identity"], group.identityEvidence)
        let count = group.objects.count
        if definition.identity.isEmpty {
            note([], Evidence(.guess, "\(count) observed; nothing identifies them"))
        } else {
            note([], Evidence(.certain, "\(count) observed"))
        }
        return definition
    }

    private mutating func note(_ keys: [String], _ reason: Evidence?) {
        guard let reason else { return }
        let path = ["entities", group.name] + keys
        evidence[DocumentPath(path.map { .key($0) })] = reason
    }

    private mutating func visit(
        _ objects: ObjectStatistics, _ path: DocumentPath, prefix: String, embedding: Int
    ) {
        for (key, field) in zip(objects.keys, objects.fields) {
            let inner = path.appending(key: key)
            if definition.attributes.count + definition.relations.count >= Self.maximumColumnCount {
                definition.ignored.append(inner)
            } else if let child = model.child(of: index, at: inner) {
                addRelation(to: child, field, key, inner, prefix)
            } else if Self.isLinks(key, field) {
                definition.ignored.append(inner)
            } else if isEmbedded(field, key, embedding), let object = field.objects.first {
                visit(object, inner, prefix: prefix + key + "_", embedding: embedding + 1)
            } else if !addReference(field, key, inner, prefix) {
                addAttribute(field, key, inner, prefix)
            }
        }
    }

    /// Returns a Boolean value that indicates whether the members of objects are columns.
    private func isEmbedded(_ field: ValueStatistics, _ key: String, _ embedding: Int) -> Bool {
        guard let object = field.objects.first, !object.isDictionary,
            !object.isOpen(key) || identityNames.keys.contains(where: { $0.hasPrefix(key + ".") }),
            object.keys.count <= 200
        else { return false }
        return field.objectCount + field.nullCount == field.count
            && embedding < SiteCollector.maximumEmbeddingDepth
    }

    /// Returns a Boolean value that indicates whether a member contains nothing but URLs about the object, as
    /// `_links` does.
    private static func isLinks(_ key: String, _ field: ValueStatistics) -> Bool {
        guard ["links", "_links", "@links"].contains(key.lowercased()),
            let object = field.objects.first
        else { return false }
        func isURLs(_ value: ValueStatistics) -> Bool {
            let leaves = value.scalarCount + value.booleanCount
            let isLeaf = value.texts.urlCount == leaves || value.texts.codeCount == leaves
            return isLeaf && (value.objects.first?.fields.allSatisfy(isURLs) ?? true)
                && (value.elements.first.map(isURLs) ?? true)
        }
        return object.fields.allSatisfy(isURLs)
    }

    /// Returns the name of the column of an identity; `nil` for any other path.
    private func identityName(at path: DocumentPath) -> String? {
        let keys = path.components.compactMap { component in
            if case .key(let key) = component { key } else { nil }
        }
        return keys.count <= 2 ? identityNames[keys.joined(separator: ".")] : nil
    }

    // MARK: Relations

    private mutating func addRelation(
        to child: EntityModel.Group, _ field: ValueStatistics, _ key: String, _ path: DocumentPath,
        _ prefix: String
    ) {
        let isToMany = field.arrayCount > 0
        let isOwned = child.identity.isEmpty
        // Some records contain the object, others only its identity.
        let isExpandable = field.scalarCount > 0 && !isOwned
        var relation = RelationDefinition(
            names.distinct(Self.columnName(Self.linkageName(path) ?? prefix + key)), to: child.name,
            isToMany: isToMany, form: isExpandable ? .identity : .object,
            isOrdered: isOwned && isToMany, isOwned: isOwned)
        if path != DocumentPath([.key(relation.name)]) { relation.path = path }
        definition.relations.append(relation)
        let count = isToMany ? field.elements.first?.objectCount ?? 0 : field.objectCount
        note(
            ["relations", relation.name],
            Evidence(
                count >= 3 ? .certain : .likely,
                "\(count) objects" + (isExpandable ? ", \(field.scalarCount) identities" : "")))
    }

    /// Returns the name of a relationship of JSON:API.
    private static func linkageName(_ path: DocumentPath) -> String? {
        guard path.components.count == 3, path.components[0] == .key("relationships"),
            path.components[2] == .key("data"), case .key(let name) = path.components[1]
        else { return nil }
        return name
    }

    private mutating func addReference(
        _ field: ValueStatistics, _ key: String, _ path: DocumentPath, _ prefix: String
    ) -> Bool {
        let isList = field.arrayCount > 0
        if isList, field.arrayCount + field.nullCount < field.count { return false }
        let values = isList ? field.elements.first : field
        guard let values,
            identityName(at: path) == nil || group.identity.count > 1,
            let finding = model.references.reference(
                values, key: key, of: group.name, isList: isList)
        else { return false }
        // A part of an identity that refers to another entity stays a column, so that it can be compared.
        if identityName(at: path) != nil { return false }
        let stem =
            IdentityNames.stem(of: key, isURL: values.texts.urlCount > 0).map {
                isList ? $0 + "s" : $0
            } ?? key
        let name = Words.words(of: key).count > 1 && stem != key ? stem : key
        var relation = RelationDefinition(
            names.distinct(Self.columnName(prefix + name)), to: finding.entity, isToMany: isList,
            form: finding.form, attribute: finding.attribute)
        if path != DocumentPath([.key(relation.name)]) { relation.path = path }
        definition.relations.append(relation)
        note(["relations", relation.name], finding.evidence)
        return true
    }

    // MARK: Attributes

    private mutating func addAttribute(
        _ field: ValueStatistics, _ key: String, _ path: DocumentPath, _ prefix: String
    ) {
        let name = identityName(at: path) ?? names.distinct(Self.columnName(prefix + key))
        let (type, reason) = AttributeInference.type(of: field, name: key)
        var attribute = AttributeDefinition(name, type)
        if path != DocumentPath([.key(name)]) { attribute.path = path }
        definition.attributes.append(attribute)
        note(["attributes", name], reason)
    }

    /// Returns the name of a column for a key.
    static func columnName(_ key: String) -> String {
        var name = String(
            key.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\"" })
        if ["restkit_", "sqlite_"].contains(where: { name.lowercased().hasPrefix($0) }) {
            name = "_" + name
        }
        if name.isEmpty || name == "*" { name = "value" }
        // A number behind the name must fit.
        while name.utf8.count > 58 { name.removeLast() }
        return name
    }
}
