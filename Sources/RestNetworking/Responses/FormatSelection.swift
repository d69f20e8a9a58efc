// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument

/// Selects the format of a response body by its content type, and parses the body.
struct FormatSelection: Sendable {
    let formats: FormatRegistry
    let limits: ParseLimits

    /// The statuses whose body is parsed as JSON if no format is registered for its content type.
    private static let statusesWithDefaultFormat: Set<Int> = [201, 202]

    /// The result of a selection.
    enum Selection {
        case format(any DocumentFormat)
        /// The content type has no format; the expected and found types in words.
        case unsupported(String)
    }

    /// Selects the format of a body that is not empty.
    func selection(for head: HTTPResponse) -> Selection {
        let field = head.headerFields[.contentType]
        let type = field.flatMap { MediaType(parsing: $0) }
        if let type, let format = formats.format(for: type) { return .format(format) }
        if Self.statusesWithDefaultFormat.contains(head.status.code),
            let format = formats.format(for: .json)
        {
            return .format(format)
        }
        let found =
            type?.essence
            ?? (field == nil ? "no content type" : "a malformed content type")
        return .unsupported("expected \(expectedTypes), found \(found)")
    }

    /// Parses a body: JSON in place, other formats from a copy.
    func document(
        from body: consuming BodyBuffer, in format: any DocumentFormat
    ) throws(DocumentError) -> Document {
        if format is JSONFormat { return try body.document(limits: limits) }
        return try format.read(body.prefix(body.count), limits: limits)
    }

    /// All media types that can be read, including those that `Accept` does not list.
    private var expectedTypes: String {
        var types = formats.mediaTypes.map(\.description)
        guard let last = types.popLast() else { return "no body, as no format is registered" }
        return types.isEmpty ? last : "\(types.joined(separator: ", ")) or \(last)"
    }
}
