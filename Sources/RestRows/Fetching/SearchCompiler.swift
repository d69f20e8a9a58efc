// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestSearch

/// A compiler of search predicates to queries of FTS5.
///
/// Conditions without a negation become one query, which the index answers by itself. FTS5 has no
/// negation of its own, so that one becomes a condition on the row.
package struct SearchCompiler {
    /// A condition on the words of a row, without negations.
    private enum Query {
        case constant(Bool)
        /// A query of FTS5: its text, the operator at its top level, and the depth of its parentheses.
        case text(String, Operator?, depth: Int)
    }

    private enum Operator: String {
        case and = "AND"
        case or = "OR"
    }

    /// The maximum depth of parentheses; the parser of FTS5 has a stack of 100 symbols.
    private static let maximumDepth = 40

    private let layout: EntityLayout
    private let model: ManagedObjectModel
    private let attributes: [String]

    /// Creates a compiler for an entity.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidPredicate` if no attribute is searchable.
    package init(_ layout: EntityLayout, _ model: ManagedObjectModel) throws(PersistenceError) {
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

    /// The matches of a predicate without negations.
    package enum Matches {
        /// The predicate has no words.
        case all, none
        /// The matches of a query of FTS5.
        case words(String)
    }

    /// Returns the matches of a predicate without negations.
    package func query(_ predicate: SearchPredicate) throws(PersistenceError) -> Matches {
        switch try query(predicate.term) {
        case nil:
            throw PersistenceError(
                .invalidPredicate, entity: layout.name,
                details: ["a ranked search cannot have a negation"])
        case .constant(let value): return value ? .all : .none
        case .text(let text, _, _): return .words(text)
        }
    }

    /// Returns the rank function of FTS5 with weights of attributes, in the order of the index's columns.
    package func rank(_ weights: [String: Double]) throws(PersistenceError) -> String {
        _ = try filter(weights.keys.sorted())
        for (name, weight) in weights where !(weight >= 0 && weight.isFinite) {
            throw PersistenceError(
                .invalidPredicate, entity: layout.name, property: name,
                details: ["has a weight that is negative or not finite"])
        }
        let table = model.searchTables.first { $0.table === layout.table }
        // FTS5 reads no exponents.
        let factors = (table?.columns ?? []).map { column in
            String(format: "%.9f", weights[layout.table.columns[column].name] ?? 1)
        }
        return "bm25(\(factors.joined(separator: ", ")))"
    }

    private func condition(
        _ term: SearchPredicate.Term, _ row: FetchPlan.Row
    ) throws(PersistenceError) -> FetchPlan.Condition {
        if let query = try query(term) { return condition(query, row) }
        switch term {
        case .and: return .and(try conditions(term, .and, row))
        case .or: return .or(try conditions(term, .or, row))
        case .not(let inner): return .not(try condition(inner, row))
        case .words, .phrase: return .constant(false)
        }
    }

    private func condition(_ query: Query, _ row: FetchPlan.Row) -> FetchPlan.Condition {
        switch query {
        case .constant(let value): .constant(value)
        case .text(let text, _, _): .search(row, text)
        }
    }

    /// Returns the conditions of a chain with negations: one for all operands without, and one for each
    /// other operand.
    private func conditions(
        _ term: SearchPredicate.Term, _ symbol: Operator, _ row: FetchPlan.Row
    ) throws(PersistenceError) -> [FetchPlan.Condition] {
        var queries: [Query] = []
        var conditions: [FetchPlan.Condition] = []
        for operand in Self.chain(term, symbol) {
            if let query = try query(operand) {
                queries.append(query)
            } else {
                conditions.append(try condition(operand, row))
            }
        }
        return [condition(try joined(queries, symbol), row)] + conditions
    }

    /// Returns the query of a term; `nil` if it has a negation.
    private func query(_ term: SearchPredicate.Term) throws(PersistenceError) -> Query? {
        switch term {
        case .words(let text, let isConjunction, let wholeWords, let attributes):
            let filter = try filter(attributes)
            let tokens = model.search.tokenizer.tokens(in: text).sorted()
            if tokens.isEmpty { return .constant(isConjunction) }
            let terms = tokens.map { Self.quoted($0) + (wholeWords ? "" : " *") }
            let symbol: Operator = isConjunction ? .and : .or
            let joined = terms.joined(separator: " \(symbol.rawValue) ")
            return .text("\(filter)(\(joined))", nil, depth: 1)
        case .phrase(let text, let attributes):
            let filter = try filter(attributes)
            let words = model.search.tokenizer.words(in: text)
            if words.isEmpty { return .constant(true) }
            let joined = words.map(Self.quoted).joined(separator: " + ")
            return .text("\(filter)(\(joined))", nil, depth: 1)
        case .and: return try query(term, .and)
        case .or: return try query(term, .or)
        case .not: return nil
        }
    }

    private func query(
        _ term: SearchPredicate.Term, _ symbol: Operator
    ) throws(PersistenceError) -> Query? {
        var queries: [Query] = []
        for operand in Self.chain(term, symbol) {
            guard let query = try query(operand) else { return nil }
            queries.append(query)
        }
        return try joined(queries, symbol)
    }

    /// Returns the operands of a chain of one operator, without recursion for each of them.
    private static func chain(
        _ term: SearchPredicate.Term, _ symbol: Operator
    ) -> [SearchPredicate.Term] {
        var pending = [term]
        var operands: [SearchPredicate.Term] = []
        while let next = pending.popLast() {
            switch (next, symbol) {
            case (.and(let left, let right), .and), (.or(let left, let right), .or):
                pending += [right, left]
            default: operands.append(next)
            }
        }
        return operands
    }

    /// Joins queries without parentheses around those of the same operator.
    private func joined(
        _ queries: [Query], _ symbol: Operator
    ) throws(PersistenceError) -> Query {
        let neutral = symbol == .and
        var texts: [String] = []
        var depth = 0
        for query in queries {
            switch query {
            case .constant(neutral): continue
            case .constant: return query
            case .text(let text, let inner, let innerDepth):
                let isEnclosed = inner != nil && inner != symbol
                texts.append(isEnclosed ? "(\(text))" : text)
                depth = max(depth, innerDepth + (isEnclosed ? 1 : 0))
            }
        }
        guard depth <= Self.maximumDepth else {
            throw PersistenceError(
                .invalidPredicate, entity: layout.name,
                details: [
                    "the search predicate alternates between && and || on more than "
                        + "\(Self.maximumDepth) levels"
                ])
        }
        if texts.isEmpty { return .constant(neutral) }
        if texts.count == 1, queries.count == 1 { return queries[0] }
        return .text(texts.joined(separator: " \(symbol.rawValue) "), symbol, depth: depth)
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
