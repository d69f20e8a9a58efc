// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The validators of a representation, as bytes: a server may send any.
///
/// - Source: RFC 9110 §8.8.
package struct HTTPValidators: Sendable, Hashable {
    /// The entity tag; `nil` for none.
    package var entityTag: [UInt8]?

    /// The time of the last modification; `nil` for none.
    package var lastModified: [UInt8]?

    /// Creates validators.
    package init(entityTag: [UInt8]? = nil, lastModified: [UInt8]? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// Creates the validators in the header fields of a response.
    package init(of fields: HTTPFields) {
        self.init(
            entityTag: fields.bytes(of: .eTag), lastModified: fields.bytes(of: .lastModified))
    }

    /// A Boolean value that indicates whether there is no validator.
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Returns a Boolean value that indicates whether the fields of a 304 response, or of the response to a
    /// HEAD, do not contradict the validators.
    ///
    /// Tags are compared weakly. The times decide if one side has no tag.
    package func areConfirmed(by fields: HTTPFields) -> Bool {
        let other = HTTPValidators(of: fields)
        if let tag = other.entityTag, let entityTag {
            return EntityTags.opaque(tag) == EntityTags.opaque(entityTag)
        }
        if let time = other.lastModified, let lastModified { return time == lastModified }
        return true
    }
}

extension TransportRequest {
    /// Returns the request with validators as its conditions, in place of its own.
    ///
    /// - Source: RFC 9110 §13.1.2, §13.1.3.
    package func validating(_ validators: HTTPValidators) -> TransportRequest {
        var request = self
        request.headerFields.set(validators.entityTag, for: .ifNoneMatch)
        request.headerFields.set(validators.lastModified, for: .ifModifiedSince)
        return request
    }
}
