// SPDX-License-Identifier: Apache-2.0

/// Conversion of keys between camel case in types, `createdAt`, and snake case in documents,
/// `created_at`.
///
/// Source: the strategies of Foundation's `JSONDecoder` and `JSONEncoder`.
enum SnakeCase {
    /// Converts `created_at` to `createdAt`.
    ///
    /// Leading and trailing underscores remain, and a key of one word is unchanged.
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }),
            let last = key.lastIndex(where: { $0 != "_" })
        else { return key }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        return String(key[..<first]) + words[0].lowercased()
            + words.dropFirst().map(capitalized).joined() + String(key[key.index(after: last)...])
    }

    /// Capitalizes each letter that follows a non-letter, as `String.capitalized` does.
    private static func capitalized(_ word: Substring) -> String {
        var result = ""
        var isPreviousCased = false
        for character in word {
            result += isPreviousCased ? character.lowercased() : character.uppercased()
            isPreviousCased = character.isCased
        }
        return result
    }

    /// Converts `createdAt` to `created_at`.
    ///
    /// Consecutive capitals form one word: `myURLKey` becomes `my_url_key`.
    static func snakeCase(_ key: String) -> String {
        let characters = Array(key)
        var words: [ArraySlice<Character>] = []
        var wordStart = 0
        var search = 1
        while search < characters.count,
            let capital = characters[search...].firstIndex(where: \.isUppercase)
        {
            words.append(characters[wordStart..<capital])
            wordStart = capital
            guard let lower = characters[capital...].firstIndex(where: \.isLowercase) else { break }
            if lower > capital + 1 {
                words.append(characters[capital..<lower - 1])
                wordStart = lower - 1
            }
            search = lower + 1
        }
        words.append(characters[wordStart...])
        return words.map { String($0).lowercased() }.joined(separator: "_")
    }
}

/// A conversion of document keys to coding keys.
enum KeyConversion {
    case snakeCase
    case custom(@Sendable (String) -> String)

    /// Creates the conversion of a strategy; `nil` if keys are unchanged.
    init?(_ strategy: DocumentDecoder.KeyDecodingStrategy) {
        switch strategy {
        case .useDefaultKeys: return nil
        case .convertFromSnakeCase: self = .snakeCase
        case .custom(let convert): self = .custom(convert)
        }
    }

    /// Returns the coding key for a document key.
    func convert(_ key: String) -> String {
        switch self {
        case .snakeCase: SnakeCase.camelCase(key)
        case .custom(let convert): convert(key)
        }
    }
}
