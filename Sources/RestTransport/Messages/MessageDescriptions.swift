// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension TransportRequest: CustomStringConvertible {
    /// The method and the URL without query and fragment; no header fields and no body.
    public var description: String { "\(method.rawValue) \(url.redacted)" }
}

extension TransportResponse: CustomStringConvertible {
    /// The status and the request; no header fields and no body.
    public var description: String { "\(status.code) for \(request)" }
}
