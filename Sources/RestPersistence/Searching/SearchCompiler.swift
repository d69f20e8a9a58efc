// SPDX-License-Identifier: Apache-2.0

import RestSearch

/// A compiler of search predicates to queries of FTS5.
///
/// Conditions without a negation become one query, which the index answers by itself. FTS5 has no
/// negation of its own, so that one becomes a condition on the row.
struct SearchCompiler {
    /// A condition on the words of a row.
    private enum Query {
        case constant(Bool)
        case text(String)
    }

    private let layout: EntityLayout
    private let model: ManagedObjectModel
    private let attributes: [String]

    /// Creates a compiler for an entity.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidPredicate` if no attribute is searchable.
    init(_ layout: EntityLayout, _ model: ManagedObjectModel) throws(PersistenceError) {
        self.layout = layout
        self.model = model
        attributes = model.searchableAttributes(of: layout.name)
        if attributes.isEmpty {
            throw PersistenceError(
                .invalidPredicate, entity: layout.name,
                details: ["the entity has no searchable attributes"])
        }
    }

    /// Returns the condition of a predicate on a row.
    func condition(
        _ predicate: SearchPredicate, _ row: FetchPlan.Row
    ) throws(PersistenceError) -> FetchPlan.Condition {
        try condition(predicate.term, row)
    }

    /// Returns the query of a predicate without negations; `nil` if it matches all objects or none.
    func query(_ predicate: SearchPredicate) throws(PersistenceError) -> String? {
        guard let query = try query(predicate.term) else {
            throw PersistenceError(
                .invalidPredicate, entity: layout.name,
                details: ["a ranked search cannot have a negation"])
        }
        if case .text(let text) = query { return text }
        return nil
    }

    private func condition(
        _ term: SearchPredicate.Term, _ row: FetchPlan.Row
    ) throws(PersistenceError) -> FetchPlan.Condition {
        if let query = try query(term) {
            switch query {
            case .constant(let value): return .constant(value)
            case .text(let text): return .search(row, text)
            }
        }
        switch term {
        case .and(let left, let right):
            return .and([try condition(left, row), try condition(right, row)])
        case .or(let left, let right):
            return .or([try condition(left, row), try condition(right, row)])
        case .not(let inner): return .not(try condition(inner, row))
        case .words, .phrase: return .constant(false)
        }
    }

    /// Returns the query of a term; `nil` if it has a negation.
    private func query(_ term: SearchPredicate.Term) throws(PersistenceError) -> Query? {
        switch term {
        case .words(let text, let isConjunction, let wholeWords, let attributes):
            let filter = try filter(attributes)
            let tokens = model.search.tokenizer.tokens(in: text).sorted()
            if tokens.isEmpty { return .constant(isConjunction) }
            let terms = tokens.map { Self.quoted($0) + (wholeWords ? "" : " *") }
            let joined = terms.joined(separator: isConjunction ? " AND " : " OR ")
            return .text("\(filter)(\(joined))")
        case .phrase(let text, let attributes):
            let filter = try filter(attributes)
            let words = model.search.tokenizer.words(in: text)
            if words.isEmpty { return .constant(true) }
            return .text("\(filter)(\(words.map(Self.quoted).joined(separator: " + ")))")
        case .and(let left, let right):
            return Self.joined(try query(left), try query(right), isConjunction: true)
        case .or(let left, let right):
            return Self.joined(try query(left), try query(right), isConjunction: false)
        case .not: return nil
        }
    }

    private static func joined(_ left: Query?, _ right: Query?, isConjunction: Bool) -> Query? {
        switch (left, right) {
        case (nil, _), (_, nil): nil
        case (.constant(let value)?, let other?), (let other?, .constant(let value)?):
            value == isConjunction ? other : .constant(value)
        case (.text(let left)?, .text(let right)?):
            .text("(\(left) \(isConjunction ? "AND" : "OR") \(right))")
        }
    }

    private func filter(_ names: [String]) throws(PersistenceError) -> String {
        if let unknown = names.first(where: { !attributes.contains($0) }) {
            throw PersistenceError(
                .invalidPredicate, entity: layout.name, property: unknown,
                details: ["is not a searchable attribute"])
        }
        return names.isEmpty ? "" : "{\(names.map(Self.quoted).joined(separator: " "))} : "
    }

    private static func quoted(_ word: String) -> String {
        "\"" + word.replacing("\"", with: "\"\"") + "\""
    }
}
