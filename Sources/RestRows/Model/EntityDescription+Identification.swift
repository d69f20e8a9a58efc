// SPDX-License-Identifier: Apache-2.0

extension EntityDescription {
    /// Returns the attribute, of the given ones, with a customary name of an identification attribute;
    /// `nil` if there is none.
    package func inferredIdentification(among attributes: Set<String>) -> String? {
        let lowercased = name.prefix(1).lowercased() + name.dropFirst()
        let candidates = [
            lowercased + "ID", Self.snakeCase(name) + "_id", "identifier", "id", "ID", "URL", "url",
        ]
        return candidates.first(where: attributes.contains)
    }

    /// Returns a name in snake case; a run of capitals is one word, `ArcticMonkeyURL` is
    /// `arctic_monkey_url`.
    static func snakeCase(_ name: String) -> String {
        let characters = Array(name)
        var result = ""
        for (index, character) in characters.enumerated() {
            let isBoundary =
                index > 0 && character.isUppercase
                && (!characters[index - 1].isUppercase
                    || (index + 1 < characters.count && characters[index + 1].isLowercase))
            if isBoundary { result += "_" }
            result += character.lowercased()
        }
        return result
    }
}
