// SPDX-License-Identifier: Apache-2.0

/// The three-way merge of texts.
///
/// - Source: Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007.
public enum TextMerge {
    /// Returns a text with the changes of both sides.
    ///
    /// A change is a run of words, spaces, punctuation or line ends that one side has replaced.
    ///
    /// - Parameters:
    ///   - base: The text that both sides have changed.
    ///   - local: The text of one side.
    ///   - server: The text of the other side.
    /// - Returns: The text; `nil` if both sides have changed the same or adjacent words in different ways, or if
    ///   a text has more than 20,000 words.
    /// - Complexity: O(*n* · *d*) in the number of words and of differences.
    public static func merged(base: String, local: String, server: String) -> String? {
        if local == server || server == base { return local }
        if local == base { return server }
        let (old, mine, theirs) = (parts(of: base), parts(of: local), parts(of: server))
        guard max(old.count, mine.count, theirs.count) <= maximumPartCount else { return nil }
        let changes = [Self.changes(from: old, to: mine), Self.changes(from: old, to: theirs)]
        var result: [Substring] = []
        var position = 0
        var (left, right) = (changes[0][...], changes[1][...])
        while true {
            let change: Change
            switch (left.first, right.first) {
            case (nil, nil):
                result += old[position...]
                return result.joined()
            case (let one?, nil):
                change = one
                left.removeFirst()
            case (nil, let other?):
                change = other
                right.removeFirst()
            case (let one?, let other?) where one == other:
                change = one
                left.removeFirst()
                right.removeFirst()
            case (let one?, let other?) where one.range.upperBound < other.range.lowerBound:
                change = one
                left.removeFirst()
            case (let one?, let other?) where other.range.upperBound < one.range.lowerBound:
                change = other
                right.removeFirst()
            default: return nil
            }
            result += old[position..<change.range.lowerBound]
            result += change.parts
            position = change.range.upperBound
        }
    }

    private static let maximumPartCount = 40_000

    /// Parts of the old text that others replace.
    private struct Change: Hashable {
        var range: Range<Int>
        var parts: [Substring]
    }

    /// Returns the words of a text, and what is between them.
    private static func parts(of text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        for index in text.indices where index > start {
            let previous = text[text.index(before: index)]
            if isWord(text[index]), isWord(previous) { continue }
            parts.append(text[start..<index])
            start = index
        }
        if start < text.endIndex { parts.append(text[start...]) }
        return parts
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    private static func changes(from old: [Substring], to new: [Substring]) -> [Change] {
        let difference = new.difference(from: old)
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var changes: [Change] = []
        var (source, target) = (0, 0)
        while source < old.count || target < new.count {
            let (start, first) = (source, target)
            while removed.contains(source) { source += 1 }
            while inserted.contains(target) { target += 1 }
            if source > start || target > first {
                changes.append(
                    Change(range: start..<source, parts: Array(new[first..<target])))
            } else {
                source += 1
                target += 1
            }
        }
        return changes
    }
}
