// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension TransportRequest: CustomStringConvertible {
    /// Method and address without query and fragment; no header field and no body.
    public var description: String { "\(method.rawValue) \(url.redacted)" }
}

extension TransportResponse: CustomStringConvertible {
    /// Status, and the request that was answered; no header field and no body.
    public var description: String { "\(status.code) for \(request)" }
}
