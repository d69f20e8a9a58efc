// SPDX-License-Identifier: Apache-2.0

public import RestSearch

/// The configuration of a model's full-text index.
///
/// Attributes are searchable if their declaration has `@Searchable`, or if ``attributes`` names them.
public struct SearchConfiguration: Sendable {
    /// The rules by which texts are split into words, with the words that are left out.
    ///
    /// Another tokenizer makes the index anew when a file is opened.
    public var tokenizer: SearchTokenizer
    /// The searchable attributes, by the name of their entity, in addition to those whose declaration
    /// says so.
    public var attributes: [String: [String]]
    /// A closure that decides whether a word of an entity is indexed; `nil` for all words.
    ///
    /// The words are folded. If the decision changes, the index must be made anew with
    /// ``ManagedObjectStore/rebuildSearchIndex()``.
    public var includesWord: (@Sendable (_ word: String, _ entity: String) -> Bool)?
    /// A closure that decides whether an object is indexed; `nil` for all objects.
    public var includesObject: (@Sendable (SearchableObject) -> Bool)?
    /// A closure that is called after each save with the IDs of the objects whose words it wrote;
    /// `nil` for none.
    ///
    /// It is called on the queue of the store's writer, and must not wait for another save.
    public var didIndexObjects: (@Sendable ([ManagedObjectID]) -> Void)?

    /// Creates a configuration.
    public init(
        attributes: [String: [String]] = [:], tokenizer: SearchTokenizer = SearchTokenizer(),
        includesWord: (@Sendable (_ word: String, _ entity: String) -> Bool)? = nil,
        includesObject: (@Sendable (SearchableObject) -> Bool)? = nil,
        didIndexObjects: (@Sendable ([ManagedObjectID]) -> Void)? = nil
    ) {
        self.attributes = attributes
        self.tokenizer = tokenizer
        self.includesWord = includesWord
        self.includesObject = includesObject
        self.didIndexObjects = didIndexObjects
    }

    /// A text that is equal for equal rules, as far as they can be compared.
    var signature: String {
        (["2"] + tokenizer.stopWords.sorted()).joined(separator: " ")
    }

    /// Returns the entities with their searchable attributes, and the names that do not exist.
    func applied(to entities: [EntityDescription]) -> ([EntityDescription], [String]) {
        var entities = entities
        var problems: [String] = []
        for (name, names) in attributes.sorted(by: { $0.key < $1.key }) {
            guard let index = entities.firstIndex(where: { $0.name == name }) else {
                problems.append("searchable entity \(name) is not in the model")
                continue
            }
            for attribute in names {
                let known = entities[index].attributes.firstIndex { $0.name == attribute }
                if let known {
                    entities[index].attributes[known].isSearchable = true
                } else {
                    problems.append("searchable attribute \(attribute) is not one of \(name)")
                }
            }
        }
        return (entities, problems)
    }
}

/// An object whose words are about to be indexed.
public struct SearchableObject: Sendable {
    /// The name of the object's entity.
    public let entityName: String
    let names: [String]
    let values: [StoredValue]

    /// The value of a searchable attribute; null for another name.
    public subscript(name: String) -> StoredValue {
        names.firstIndex(of: name).map { values[$0] } ?? .null
    }
}

extension ManagedObjectModel {
    /// The names of the searchable attributes of an entity, inherited ones first.
    public func searchableAttributes(of entity: String) -> [String] {
        guard let layout = try? layout(named: entity) else { return [] }
        return layout.attributes(in: self).filter(\.isSearchable).map(\.name)
    }
}
