// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

/// Selects the format of a response body by its content type, and parses the body.
struct FormatSelection: Sendable {
    let formats: FormatRegistry
    let limits: ParseLimits

    /// The statuses whose body is parsed as JSON if no format is registered for its content type.
    private static let statusesWithDefaultFormat: Set<Int> = [201, 202]

    /// The result of a selection.
    enum Selection {
        /// The format, and the `charset` of the content type.
        case format(any DocumentFormat, charset: String?)
        /// The content type has no format; the expected and found types in words.
        case unsupported(String)
    }

    /// Selects the format of a body that is not empty.
    ///
    /// A body without a content type is JSON or XML if its first bytes begin like it (RFC 9110 §8.3).
    func selection(for head: HTTPResponse, _ beginning: [UInt8]) -> Selection {
        let type = head.mediaType
        if let type = type ?? Self.type(ofTextBeginningWith: beginning),
            let format = formats.format(for: type)
        {
            return .format(format, charset: type.parameters["charset"])
        }
        if Self.statusesWithDefaultFormat.contains(head.status.code),
            let format = formats.format(for: .json)
        {
            return .format(format, charset: nil)
        }
        let found =
            type?.essence
            ?? (head.headerFields.contains(.contentType)
                ? "a malformed content type" : "no content type")
        return .unsupported("expected \(expectedTypes), found \(found)")
    }

    /// Returns the type of a text that begins like an object, an array or an XML declaration.
    private static func type(ofTextBeginningWith beginning: [UInt8]) -> MediaType? {
        let text =
            (beginning.starts(with: [0xEF, 0xBB, 0xBF]) ? beginning.dropFirst(3) : beginning[...])
            .drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") { return .json }
        return text.starts(with: "<?xml".utf8) ? "application/xml" : nil
    }

    /// The number of bytes of the beginning of a body from which its type is recognized.
    static let beginningByteCount = 64

    /// Parses a body: JSON in UTF-8 in place, others from a copy.
    func document(
        from body: consuming BodyBuffer, in format: any DocumentFormat, charset: String?
    ) throws(DocumentError) -> Document {
        guard let charset, charset.lowercased() != "utf-8" else {
            if format is JSONFormat { return try body.document(limits: limits) }
            if charset == nil { return try format.read(body.prefix(body.count), limits: limits) }
            return try format.read(body.prefix(body.count), charset: "utf-8", limits: limits)
        }
        return try format.read(body.prefix(body.count), charset: charset, limits: limits)
    }

    /// All media types that can be read, including those that `Accept` does not list.
    private var expectedTypes: String {
        var types = formats.mediaTypes.map(\.description)
        guard let last = types.popLast() else { return "no body, as no format is registered" }
        return types.isEmpty ? last : "\(types.joined(separator: ", ")) or \(last)"
    }
}

extension HTTPResponse {
    /// The media type of the body; `nil` if there is none that can be read.
    var mediaType: MediaType? {
        headerFields.combined(.contentType).flatMap { MediaType(received: $0) }
    }
}
