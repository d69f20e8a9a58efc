// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A path with named parameters, such as `/articles/:id`.
///
/// A pattern matches paths and extracts the values of its parameters, or interpolates values into a
/// path.
///
/// A parameter is a colon followed by letters, digits, `.`, `_` or `@`. A name with dots is a key
/// path (`:author.id`). The escapes `\.`, `\@`, `\:` and `\\` represent the characters themselves,
/// so `/files/:name\.json` has the parameter `name`. A colon before any other character is a
/// literal.
///
/// Creating a pattern compiles it. Matching compares the bytes of the percent-encoded path, without
/// its query, and does not allocate.
///
/// - Source: `RKPathMatcher`. Differs: a value fills exactly one segment.
public struct PathPattern: Sendable {
    /// The pattern as it was written.
    public let text: String

    /// The key paths of the parameters, in the order of the pattern.
    public let parameters: [String]

    /// The parsed key paths of the parameters.
    let keyPaths: [DocumentPath]

    /// The bytes of all literals, concatenated and percent-encoded.
    let literals: [UInt8]
    // Invariant: no two parameters are adjacent.
    let pieces: [Piece]

    enum Piece: Sendable, Hashable {
        /// A range of ``literals``.
        case literal(Range<Int>)
        /// An index into ``parameters``.
        case parameter(Int)
    }

    /// Creates a pattern from its text.
    ///
    /// - Parameter text: The pattern, with or without a leading slash, with or without a query.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` that
    ///   lists all errors in the pattern.
    public init(_ text: String) throws(NetworkingError) {
        var parser = PathPatternParser()
        parser.parse(text)
        guard parser.diagnostics.isEmpty else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: parser.diagnostics.map { "path pattern \"\(text)\": \($0)" })
        }
        self.text = text
        parameters = parser.parameters
        keyPaths = parser.parameters.map { name in
            DocumentPath(name.split(separator: ".").map { .key(String($0)) })
        }
        literals = parser.literals
        pieces = parser.pieces
    }
}

extension PathPattern {
    /// Returns the errors of segments that are the name of an identification attribute, or `id`, and
    /// therefore text: their colon is missing.
    ///
    /// - Parameters:
    ///   - text: The text of a pattern.
    ///   - tables: The types of the objects.
    /// - Returns: An error for each segment.
    static func diagnostics(
        ofIdentitiesIn text: String, of tables: [PropertyTable]
    ) -> [String] {
        let names = tables.flatMap { table in
            table.identity.map { table.properties[$0].name }
                + ["id"].filter { table.index(of: $0) != nil }
        }
        return text.split(separator: "/").map(String.init).filter(names.contains).map {
            "the segment \"\($0)\" is text: write \":\($0)\" for the value of the property"
        }
    }
}

extension PathPattern: Hashable {
    /// Returns a Boolean value that indicates whether two patterns have the same text.
    public static func == (left: PathPattern, right: PathPattern) -> Bool {
        left.text == right.text
    }

    /// Hashes the text of the pattern.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension PathPattern: CustomStringConvertible {
    /// The pattern as it was written.
    public var description: String { text }
}
