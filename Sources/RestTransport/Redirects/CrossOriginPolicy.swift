// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The header fields that a request may carry to an origin that is not trusted.
enum CrossOriginPolicy {
    /// The header fields that do not identify the sender.
    private static let harmlessFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .pragma, .range, .userAgent,
    ]

    /// Returns a Boolean value that indicates whether a header field may go to any origin.
    static func allows(_ field: HTTPField) -> Bool {
        harmlessFields.contains(field.name)
    }
}

extension HTTPFields {
    /// Returns the fields that satisfy a predicate, in their order.
    func filter(_ isIncluded: (HTTPField) -> Bool) -> HTTPFields {
        var included = HTTPFields()
        for field in self where isIncluded(field) {
            included.append(field)
        }
        return included
    }
}
