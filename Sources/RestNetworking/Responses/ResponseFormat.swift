// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument

/// Chooses the format in which a response's body is read.
struct ResponseFormat: Sendable {
    let formats: FormatRegistry
    let limits: ParseLimits

    /// Statuses whose body is read as JSON if its content type says nothing better.
    private static let uncheckedStatuses: Set<Int> = [201, 202]

    /// The format of a body that is not empty.
    enum Choice {
        case format(any DocumentFormat)
        /// What is wrong with the content type.
        case mistake(String)
    }

    /// Judges the content type of a body that is not empty.
    func choice(for head: HTTPResponse) -> Choice {
        let field = head.headerFields[.contentType]
        let type = field.flatMap { MediaType(parsing: $0) }
        if let type, let format = formats.format(for: type) { return .format(format) }
        if Self.uncheckedStatuses.contains(head.status.code),
            let format = formats.format(for: .json)
        {
            return .format(format)
        }
        let found =
            type?.essence
            ?? (field == nil ? "no content type" : "a malformed content type")
        return .mistake("expected \(expected), found \(found)")
    }

    /// Reads a body; JSON where it lies, other formats from a copy.
    func document(
        of body: consuming BodyBuffer, in format: any DocumentFormat
    ) throws(DocumentError) -> Document {
        if format is JSONFormat { return try body.document(limits: limits) }
        return try format.read(body.prefix(body.count), limits: limits)
    }

    /// All types that can be read, also those that requests do not ask for.
    private var expected: String {
        var types = formats.mediaTypes.map(\.description)
        guard let last = types.popLast() else { return "no body, as no format is registered" }
        return types.isEmpty ? last : "\(types.joined(separator: ", ")) or \(last)"
    }
}
