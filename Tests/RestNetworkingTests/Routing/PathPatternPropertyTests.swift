// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import Testing

/// Random patterns, values and paths.
@Suite struct PathPatternPropertyTests {
    /// Interpolating values and matching the path returns the values.
    @Test func matchingReturnsInterpolatedValues() throws {
        var random = SeededGenerator(seed: 1)
        var count = 0
        while count < 20_000 {
            let pattern = RandomPattern(using: &random)
            let values = pattern.parameters.map { _ in randomValue(using: &random) }
            let compiled = try PathPattern(pattern.text)
            var position = -1
            let made = try compiled.interpolated { _ in
                position += 1
                return values[position]
            }
            // A value ends at the first occurrence of the text that follows it.
            guard pattern.isUnambiguous(with: values) else { continue }
            count += 1
            let found = compiled.arguments(in: made.path)
            guard found?.names == pattern.parameters,
                pattern.parameters.map({ found?[$0] }) == values.map(Optional.some),
                pattern.parameters.map({ made.arguments[$0] }) == values.map(Optional.some)
            else {
                Issue.record("\(pattern.text) with \(values) became \(made.path)")
                return
            }
        }
    }

    /// Matching agrees with a matcher that searches text, for random patterns and paths.
    @Test func matchesSamePathsAsTextSearch() throws {
        var random = SeededGenerator(seed: 2)
        var matchCount = 0
        for _ in 0..<100_000 {
            let pattern = RandomPattern(using: &random)
            let path = pattern.similarPath(using: &random)
            let expected = pattern.arguments(in: path)
            let compiled = try PathPattern(pattern.text)
            let found = compiled.arguments(in: path).map { arguments in
                pattern.parameters.map { arguments[$0] ?? "" }
            }
            guard found == expected, compiled.matches(path) == (expected != nil) else {
                Issue.record("\(pattern.text) with \(path): \(String(describing: found))")
                return
            }
            matchCount += expected == nil ? 0 : 1
        }
        #expect(matchCount > 10_000)
    }

    private func randomValue(using random: inout SeededGenerator) -> String {
        let alphabet: [Unicode.Scalar] = ["a", "b", "/", ".", "-", "%", "?", "é", "🙂", " ", ":"]
        var value = ""
        repeat {
            value = ""
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                value.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
            }
        } while value == "." || value == ".."
        return value
    }
}

/// A pattern that consists of literals of letters, slashes, hyphens and dots, and of parameters.
private struct RandomPattern {
    private enum Piece {
        case literal(String)
        case parameter(String)
    }

    private var pieces: [Piece] = []

    init(using random: inout SeededGenerator) {
        let literals = ["/", "/a", "a", "/a/", "-", ".b", "b/", "/b-a/", "ab"]
        var isLiteral = Bool.random(using: &random)
        for index in 0..<Int.random(in: 1...6, using: &random) {
            pieces.append(
                isLiteral
                    ? .literal(literals.randomElement(using: &random) ?? "/")
                    : .parameter("p\(index)"))
            isLiteral.toggle()
        }
        // A letter after a parameter would be a part of its name.
        for index in pieces.indices.dropFirst() {
            guard case .parameter = pieces[index - 1], case .literal(let text) = pieces[index],
                text.first?.isLetter == true
            else { continue }
            pieces[index] = .literal("-" + text)
        }
    }

    var text: String {
        pieces.map { piece in
            switch piece {
            case .literal(let text): text.replacing(".", with: #"\."#)
            case .parameter(let name): ":" + name
            }
        }.joined()
    }

    var parameters: [String] {
        pieces.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Returns the values of the parameters in a path, or `nil` if it does not match.
    func arguments(in path: String) -> [String]? {
        var rest = Substring(path)
        var values: [String] = []
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .literal(let text):
                guard rest.hasPrefix(text) else { return nil }
                rest = rest.dropFirst(text.count)
            case .parameter:
                var end = rest.endIndex
                if index + 1 < pieces.count, case .literal(let text) = pieces[index + 1] {
                    guard let range = rest.firstRange(of: text) else { return nil }
                    end = range.lowerBound
                }
                let value = rest[..<end]
                if value.isEmpty || value.contains("/") { return nil }
                values.append(String(value))
                rest = rest[end...]
            }
        }
        return rest.isEmpty ? values : nil
    }

    /// Returns a Boolean value that indicates whether no value contains the literal after it, not
    /// even together with the literal's beginning.
    func isUnambiguous(with values: [String]) -> Bool {
        var position = 0
        for (index, piece) in pieces.enumerated() {
            guard case .parameter = piece else { continue }
            let value = values[position]
            position += 1
            guard index + 1 < pieces.count, case .literal(let text) = pieces[index + 1] else {
                continue
            }
            // Slashes in values are encoded, so they begin no literal.
            let encoded = value.replacing("/", with: "%")
            let whole = encoded + text
            if whole.firstRange(of: text)?.lowerBound
                != whole.index(whole.endIndex, offsetBy: -text.count)
            {
                return false
            }
        }
        return true
    }

    /// Returns a path that may match: the literals with other text in between, sometimes changed.
    func similarPath(using random: inout SeededGenerator) -> String {
        let alphabet = Array("aab/-.")
        var path = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): path += text
            case .parameter:
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    path.append(alphabet.randomElement(using: &random) ?? "a")
                }
            }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            path.append(alphabet.randomElement(using: &random) ?? "a")
        }
        return path
    }
}
