// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestTransport

/// The requests of a walk, as far as they are needed to detect that it repeats itself.
///
/// The memory is constant, whatever the length of the walk: the digests of the last
/// ``windowLength`` requests, and that of one earlier request. A cycle of up to ``windowLength``
/// requests is detected before a request is repeated. A longer cycle is detected by comparison with
/// the earlier request, which moves forward at every power of two: after at most three times as many
/// requests as there are before the end of the first round.
///
/// - Source: R. P. Brent, “An improved Monte Carlo factorization algorithm”, BIT 20 (1980), section 2.
package struct RequestHistory: Sendable {
    /// The number of latest requests that are remembered: 64.
    package static let windowLength = 64

    private var window: [[UInt8]] = []
    private var oldest = 0
    private var checkpoint: [UInt8]?
    private var distance = 0
    private var maximumDistance = 1

    package init() {}

    /// The number of digests in memory, at most ``windowLength`` and one.
    package var digestCount: Int { window.count + (checkpoint == nil ? 0 : 1) }

    /// Adds a request.
    ///
    /// - Parameter request: The request, in what differs from those of other pages.
    /// - Returns: `false` if the request repeats one that is remembered.
    package mutating func insert(_ request: PageRequest) -> Bool {
        // No URL contains a line break.
        var text = Array(request.url.requestText.utf8)
        if let members = request.members {
            text.append(UInt8(ascii: "\n"))
            text += JSONWriter.compact.bytes(of: members)
        }
        let digest = SHA256.digest(of: text)
        guard digest != checkpoint, !window.contains(digest) else { return false }
        if window.count < Self.windowLength {
            window.append(digest)
        } else {
            window[oldest] = digest
            oldest = (oldest + 1) % Self.windowLength
        }
        distance += 1
        if checkpoint == nil || distance == maximumDistance {
            checkpoint = digest
            distance = 0
            maximumDistance *= 2
        }
        return true
    }
}
