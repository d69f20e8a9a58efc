// SPDX-License-Identifier: Apache-2.0

import Logging

/// The log of adapters, for what concerns the process and not a request.
package enum TransportLog {
    private static let logger = Logger(label: "RestTransport")

    /// Logs a message at level `debug`.
    package static func note(_ message: String) {
        logger.debug("\(message)")
    }
}
