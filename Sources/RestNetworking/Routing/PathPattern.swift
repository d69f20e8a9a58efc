// SPDX-License-Identifier: Apache-2.0

/// A path with named parameters, such as `/articles/:id`: it makes paths from values and takes
/// paths apart again.
///
/// A parameter is a colon followed by letters, digits, `.`, `_` or `@`; a dot inside a name makes
/// it a key path (`:author.id`). `\.`, `\@`, `\:` and `\\` are the characters themselves, so
/// `/files/:name\.json` has the parameter `name`. A colon before any other character is a colon.
///
/// A pattern is compiled once, when it is made. Matching compares the encoded path, without its
/// query, byte for byte and allocates nothing.
///
/// - Source: RestKit's path matcher. Differs: one value fills exactly one segment.
public struct PathPattern: Sendable {
    /// The pattern as it was written.
    public let text: String

    /// Key paths of the parameters, in the order of the pattern.
    public let parameters: [String]

    /// Bytes of all literal pieces, one after another, as they stand in an encoded path.
    let literals: [UInt8]
    // Invariant: two parameters never follow each other.
    let pieces: [Piece]

    enum Piece: Sendable, Hashable {
        /// These bytes of ``literals``.
        case literal(Range<Int>)
        /// The parameter with this position in ``parameters``.
        case parameter(Int)
    }

    /// Compiles a pattern.
    ///
    /// - Parameter text: The pattern, with or without a leading slash, with or without a query.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` that
    ///   lists every mistake of the pattern.
    public init(_ text: String) throws(NetworkingError) {
        var parser = PathPatternParser()
        parser.parse(text)
        guard parser.mistakes.isEmpty else {
            throw NetworkingError(
                .invalidConfiguration, stage: .configuration,
                causes: parser.mistakes.map { "path pattern \"\(text)\": \($0)" })
        }
        self.text = text
        parameters = parser.parameters
        literals = parser.literals
        pieces = parser.pieces
    }
}

extension PathPattern: Hashable {
    /// Two patterns are equal if they are written alike.
    public static func == (left: PathPattern, right: PathPattern) -> Bool {
        left.text == right.text
    }

    /// Hashes the pattern as written.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension PathPattern: CustomStringConvertible {
    /// The pattern as it was written.
    public var description: String { text }
}
