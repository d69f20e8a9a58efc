// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The rules for libraries whose field values are text, in which bytes that are not UTF-8 are
/// U+FFFD.
///
/// A validator or a cookie with such a value would be sent back altered, and a redirect would lead
/// elsewhere.
package enum TextFields {
    /// Appends a received field to the fields of a response.
    ///
    /// A replaced `ETag` or `Set-Cookie` is left out; other replaced values are informative only.
    ///
    /// - Throws: ``TransportError`` with code `malformedResponse` for a replaced `Location`.
    package static func append(
        _ value: String, for name: HTTPField.Name, to fields: inout HTTPFields,
        of request: TransportRequest
    ) throws(TransportError) {
        if name == .location || name == .eTag || name == .setCookie,
            value.unicodeScalars.contains("\u{FFFD}")
        {
            guard name == .location else { return }
            throw TransportError(
                .malformedResponse, stage: .receivingHeader, request: request,
                reason: "the Location field is not UTF-8, which the client library requires")
        }
        fields.append(HTTPField(name: name, value: value))
    }

    /// Returns the value of a field to send as text.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the value is not UTF-8.
    package static func text(
        of field: HTTPField, in request: TransportRequest
    ) throws(TransportError) -> String {
        guard field.isUTF8 else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "header field \(field.name.canonicalName) is not UTF-8, "
                    + "which the client library requires")
        }
        return field.value
    }
}
