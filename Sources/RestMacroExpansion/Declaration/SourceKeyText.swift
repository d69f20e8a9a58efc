// SPDX-License-Identifier: Apache-2.0

#if Macros
/// The text of a source key, by the grammar of the library's document paths: keys separated by dots,
/// and positions of arrays in brackets; a backslash makes any character part of a key.
///
/// The library stops the program at a literal that is not a path, so the macro refuses it.
struct SourceKeyText {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) {
        characters = Array(text)
    }

    /// Returns what a valid path has in place of the first character that does not belong to one; nil
    /// for a valid path.
    mutating func expectation() -> String? {
        var isFirst = true
        while let next {
            if next == "[" {
                if let expected = bracketed() { return expected }
            } else {
                if !isFirst {
                    guard next == "." else { return "'.' or '['" }
                    position += 1
                }
                if let expected = key() { return expected }
            }
            isFirst = false
        }
        return nil
    }

    private var next: Character? { position < characters.count ? characters[position] : nil }

    /// Reads `[3]` or `[""]`.
    private mutating func bracketed() -> String? {
        position += 1
        let start = position
        while let next, next != "]" { position += 1 }
        guard next == "]" else { return "']' after '['" }
        let content = String(characters[start..<position])
        let isIndex = !content.isEmpty && content.allSatisfy { "0"..."9" ~= $0 }
        guard content == "\"\"" || (isIndex && Int(content) != nil) else {
            return "the position of an element in brackets, or '\\\\[' for a bracket in a key"
        }
        position += 1
        return nil
    }

    private mutating func key() -> String? {
        let start = position
        while let next, next != ".", next != "[" {
            if next == "]" { return "'\\\\]' for a bracket in a key" }
            if next == "\\" {
                position += 1
                if self.next == nil { return "a character after the backslash" }
            }
            position += 1
        }
        return position > start ? nil : "a key"
    }
}
#endif
