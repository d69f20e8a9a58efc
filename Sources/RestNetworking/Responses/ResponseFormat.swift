// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument

/// Judges the content type of a response.
enum ResponseFormat {
    /// What requests say they accept.
    static let accepted = "application/json"

    /// Statuses whose body is read whatever it says it is.
    private static let uncheckedStatuses: Set<Int> = [201, 202]

    /// What is wrong with the content type of a body that is not empty; `nil` if it can be read.
    static func mistake(of head: HTTPResponse) -> String? {
        guard !uncheckedStatuses.contains(head.status.code) else { return nil }
        guard let field = head.headerFields[.contentType] else {
            return "expected \(accepted), found no content type"
        }
        guard let type = MediaType(field) else {
            return "expected \(accepted), found a malformed content type"
        }
        return isJSON(type) ? nil : "expected \(accepted), found \(type.type)/\(type.subtype)"
    }

    private static func isJSON(_ type: MediaType) -> Bool {
        type.matches(.json) || type.suffix == "json" || type.subtype == "json"
    }
}
