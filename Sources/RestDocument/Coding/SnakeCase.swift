// SPDX-License-Identifier: Apache-2.0

/// The keys of types, `createdAt`, and the same in documents, `created_at`.
///
/// Source: the strategies of Foundation's `JSONDecoder` and `JSONEncoder`.
enum SnakeCase {
    /// `created_at` as `createdAt`; underscores at either end stay, a key of one word stays as it is.
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }),
            let last = key.lastIndex(where: { $0 != "_" })
        else { return key }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        return String(key[..<first]) + words[0].lowercased()
            + words.dropFirst().map(capitalized).joined() + String(key[key.index(after: last)...])
    }

    /// A word with capitals after everything that is no letter.
    private static func capitalized(_ word: Substring) -> String {
        var result = ""
        var isPreviousCased = false
        for character in word {
            result += isPreviousCased ? character.lowercased() : character.uppercased()
            isPreviousCased = character.isCased
        }
        return result
    }

    /// `createdAt` as `created_at`; several capitals in a row are one word, `myURLKey` is `my_url_key`.
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

/// How a decoder makes a type's key of a document's.
enum KeyConversion {
    case snakeCase
    case custom(@Sendable (String) -> String)

    /// A strategy's conversion; `nil` for none.
    init?(_ strategy: DocumentDecoder.KeyDecodingStrategy) {
        switch strategy {
        case .useDefaultKeys: return nil
        case .convertFromSnakeCase: self = .snakeCase
        case .custom(let convert): self = .custom(convert)
        }
    }

    /// A document's key as the type knows it.
    func convert(_ key: String) -> String {
        switch self {
        case .snakeCase: SnakeCase.camelCase(key)
        case .custom(let convert): convert(key)
        }
    }
}
