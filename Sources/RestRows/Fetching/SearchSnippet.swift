// SPDX-License-Identifier: Apache-2.0

package import RestSearch

/// A part of a text with the words that a search found.
public struct SearchSnippet: Sendable, Hashable {
    /// The part of the text, with "…" where the text continues.
    public let text: String
    /// The ranges of the found words in ``text``.
    public let ranges: [Range<String.Index>]

    /// Returns the text with marks around the found words, such as `<b>` and `</b>`.
    ///
    /// The text itself is not escaped.
    public func marked(_ start: String, _ end: String) -> String {
        var result = ""
        var position = text.startIndex
        for range in ranges {
            result += text[position..<range.lowerBound] + start + text[range] + end
            position = range.upperBound
        }
        return result + text[position...]
    }
}

/// Finds the words of a search in texts.
package struct SearchHighlighter: Sendable {
    private var wholeWords: Set<String> = []
    private var prefixes: [String] = []
    private let tokenizer: SearchTokenizer

    package init(_ predicate: SearchPredicate, _ tokenizer: SearchTokenizer) {
        self.tokenizer = tokenizer
        add(predicate.term)
    }

    private mutating func add(_ term: SearchPredicate.Term) {
        switch term {
        case .words(let text, _, let isWhole, _):
            let words = tokenizer.words(in: text)
            if isWhole { wholeWords.formUnion(words) } else { prefixes += words }
        case .phrase(let text, _): wholeWords.formUnion(tokenizer.words(in: text))
        case .and(let left, let right), .or(let left, let right):
            add(left)
            add(right)
        case .not: break
        }
    }

    private func isFound(_ word: String) -> Bool {
        wholeWords.contains(word) || prefixes.contains { word.hasPrefix($0) }
    }

    /// Returns the part of a text with the most found words, or its beginning.
    package func snippet(of text: String, words count: Int) -> SearchSnippet {
        let words = tokenizer.occurrences(in: text)
        let found = words.map { isFound($0.word) }
        let width = min(max(1, count), words.count)
        guard width > 0 else { return SearchSnippet(text: "", ranges: []) }
        var matches = found.prefix(width).count(where: \.self)
        var (best, start) = (matches, 0)
        for first in found.indices.dropFirst() where first + width <= found.count {
            matches += (found[first + width - 1] ? 1 : 0) - (found[first - 1] ? 1 : 0)
            if matches > best { (best, start) = (matches, first) }
        }
        var end = start + width
        // An ellipsis would not be shorter than the full stop in its place.
        if end == words.count - 1,
            text.index(after: words[end - 1].range.upperBound) == words[end].range.upperBound
        {
            end = words.count
        }
        let lower = start == 0 ? text.startIndex : words[start].range.lowerBound
        let upper = end == words.count ? text.endIndex : words[end - 1].range.upperBound
        var result = start == 0 ? "" : "…"
        var ranges: [Range<Int>] = []
        var position = lower
        for index in start..<end where found[index] {
            result += text[position..<words[index].range.lowerBound]
            let first = result.utf8.count
            result += text[words[index].range]
            ranges.append(first..<result.utf8.count)
            position = words[index].range.upperBound
        }
        result += text[position..<upper]
        if end < words.count { result += "…" }
        return SearchSnippet(
            text: result,
            ranges: ranges.map { range in
                let start = result.utf8.index(result.startIndex, offsetBy: range.lowerBound)
                return start..<result.utf8.index(start, offsetBy: range.count)
            })
    }
}
