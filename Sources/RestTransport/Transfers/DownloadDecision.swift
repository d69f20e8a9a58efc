// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The handling of a response to the request of a download.
///
/// - Source: RFC 9110 §14.2 to §14.4, §15.3.7, §15.5.17.
enum DownloadDecision: Sendable, Equatable {
    /// Replace the content by the body.
    case replace(PartialFile.Content)
    /// Append the body to the content.
    case append(PartialFile.Content)
    /// The content is complete.
    case finish
    /// Request the complete representation, because the content does not belong to it.
    case restart
    /// Return the response to the caller.
    case decline

    /// Creates the decision for a response to a request for everything after some content.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - content: The content, with zero bytes if no range was requested.
    init(for response: TransportResponse, after content: PartialFile.Content) {
        let fields = response.headerFields
        switch response.status.code {
        case 200:
            let length = fields[.contentLength].flatMap { Int($0) }
            // Decoded bytes have no offsets in the representation.
            let isDecoded = fields.contains(.contentEncoding)
            self = .replace(
                PartialFile.Content(
                    byteCount: 0, completeByteCount: isDecoded ? nil : length,
                    validator: isDecoded ? nil : DownloadValidator(of: fields)))
        case 206 where content.byteCount > 0:
            guard let validator = content.validator, validator.matches(fields),
                // A redirect to another origin may have dropped the condition.
                response.request.headerFields[.ifRange] == validator.fieldValue,
                !fields.contains(.contentEncoding),
                let range = fields[.contentRange].flatMap({ ContentRange($0) }),
                range.offsets.lowerBound == content.byteCount,
                Self.agree(range.completeByteCount, content.completeByteCount)
            else {
                self = .restart
                return
            }
            var content = content
            content.completeByteCount = range.completeByteCount ?? content.completeByteCount
            self = .append(content)
        case 416 where content.byteCount > 0:
            let isComplete =
                content.completeByteCount == content.byteCount
                && fields[.contentRange] == "bytes */\(content.byteCount)"
            self = isComplete ? .finish : .restart
        default:
            self = .decline
        }
    }

    private static func agree(_ one: Int?, _ other: Int?) -> Bool {
        one == nil || other == nil || one == other
    }
}
