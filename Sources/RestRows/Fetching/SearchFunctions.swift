// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestDocument
import RestSearch

/// The SQL functions that write the full-text index.
enum SearchFunctions {
    static func add(to database: Database, _ search: SearchConfiguration) {
        database.add(function: words(search))
        database.add(function: isSearchable(search))
    }

    /// `restkit_words(value, is_json, entity)`: the words of a value with a space between them.
    ///
    /// A text is a BLOB.
    private static func words(_ search: SearchConfiguration) -> DatabaseFunction {
        DatabaseFunction("restkit_words", argumentCount: 3) { arguments in
            guard let text = text(arguments[0]) else { return nil }
            var words: [String] = []
            if arguments[1].storage == .int64(1) {
                for leaf in leaves(of: text) { words += search.tokenizer.words(in: leaf) }
            } else {
                words = search.tokenizer.words(in: text)
            }
            if let includesWord = search.includesWord {
                let entity = self.text(arguments[2]) ?? ""
                words.removeAll { !includesWord($0, entity) }
            }
            return words.joined(separator: " ")
        }
    }

    /// `restkit_is_searchable(entity, name, value, …)`: whether the words of an object are indexed.
    ///
    /// Texts among the values are BLOBs.
    private static func isSearchable(_ search: SearchConfiguration) -> DatabaseFunction {
        DatabaseFunction("restkit_is_searchable") { arguments in
            guard let includesObject = search.includesObject else { return true }
            var names: [String] = []
            var values: [StoredValue] = []
            for index in stride(from: 1, to: arguments.count - 1, by: 2) {
                names.append(text(arguments[index]) ?? "")
                values.append(StoredValue(arguments[index + 1]).decodedText)
            }
            return includesObject(
                SearchableObject(
                    entityName: text(arguments[0]) ?? "", names: names, values: values))
        }
    }

    /// Returns a value as text; `nil` for null.
    private static func text(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .double(let number):
            Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        }
    }

    /// Returns the texts and numbers in JSON.
    private static func leaves(of json: String) -> [String] {
        guard let root = JSONColumn.root(of: .text(json)) else { return [] }
        var leaves: [String] = []
        var pending = [root]
        while let node = pending.popLast() {
            switch node.kind {
            case .array: pending += node.elements.reversed()
            case .object: pending += node.members.map(\.1).reversed()
            case .string: node.string.map { leaves.append($0) }
            case .number: leaves.append(JSONColumn.text(of: node))
            default: break
            }
        }
        return leaves
    }
}
