// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What an origin may see that a request, a header field or a cookie was not meant for.
enum ForeignOrigin {
    /// The header fields that say nothing about who asks.
    private static let harmlessFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .range, .userAgent,
    ]

    /// Whether any origin may see a header field.
    static func maySee(_ field: HTTPField) -> Bool {
        harmlessFields.contains(field.name)
    }
}

extension HTTPFields {
    /// The fields that pass a test, in their order.
    func filter(_ isIncluded: (HTTPField) -> Bool) -> HTTPFields {
        var kept = HTTPFields()
        for field in self where isIncluded(field) {
            kept.append(field)
        }
        return kept
    }
}
