// SPDX-License-Identifier: Apache-2.0

/// The words of names, in any spelling: `full_name`, `fullName`, `full-name` and `FullName` are equal.
enum Words {
    /// Nouns whose plural is irregular or has the same form.
    private static let irregular: [String: String] = [
        "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
        "series": "series", "species": "species", "news": "news", "status": "status",
        "statuses": "status", "address": "address", "addresses": "address", "data": "data",
        "media": "media", "metadata": "metadata", "indices": "index", "indexes": "index",
        "aliases": "alias", "bonus": "bonus", "lens": "lens", "gas": "gas", "movies": "movie",
        "cookies": "cookie", "ties": "tie", "analyses": "analysis", "bases": "base",
        "cases": "case", "databases": "database", "purchases": "purchase", "releases": "release",
        "licenses": "license", "courses": "course", "houses": "house", "responses": "response",
        "expenses": "expense", "phases": "phase", "leases": "lease", "invoices": "invoice",
    ]

    /// Returns the words of a name in lower case.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var previous: Character = " "
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            guard character.isLetter || character.isNumber else {
                if !word.isEmpty { words.append(word) }
                word = ""
                previous = " "
                continue
            }
            let isNext = index + 1 < characters.count && characters[index + 1].isLowercase
            let isBoundary =
                character.isUppercase && (previous.isLowercase || previous.isUppercase && isNext)
            if isBoundary, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word += character.lowercased()
            previous = character
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Returns a noun in the singular.
    static func singular(_ word: String) -> String {
        if let irregular = irregular[word] { return irregular }
        if word.count <= 3 || !word.hasSuffix("s") { return word }
        for ending in ["ss", "us", "is"] where word.hasSuffix(ending) { return word }
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        for ending in ["sses", "shes", "ches", "xes", "zzes"] where word.hasSuffix(ending) {
            return String(word.dropLast(2))
        }
        return String(word.dropLast())
    }

    /// Returns a Boolean value that indicates whether the last word of a name is a plural.
    static func isPlural(_ name: String) -> Bool {
        guard let last = words(of: name).last else { return false }
        return singular(last) != last
    }

    /// Returns the name of the entity of a resource or key, such as `OrderLine` for `order_lines`.
    static func entityName(_ name: String) -> String {
        var words = words(of: name)
        if let last = words.popLast() { words.append(singular(last)) }
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return identifier(joined, fallback: "Record")
    }

    /// Returns the name of a resource for a component of a path.
    static func resourceName(_ name: String) -> String {
        identifier(words(of: name).joined(separator: "_"), fallback: "records")
    }

    /// Returns a text with the characters of a name: ASCII letters, digits and underscores, a letter first.
    private static func identifier(_ text: String, fallback: String) -> String {
        let allowed = text.unicodeScalars.filter { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || scalar == "_"
        }
        let start = allowed.drop { !$0.properties.isAlphabetic }
        let name = String(String.UnicodeScalarView(start.prefix(50)))
        return name.isEmpty ? fallback : name
    }

    /// Returns a Boolean value that indicates whether two names mean the same thing, in the singular or
    /// plural.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        entityName(left).lowercased() == entityName(right).lowercased()
    }
}
