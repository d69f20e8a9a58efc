// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// A version of libcurl and its features, by which the transport chooses the version of HTTP.
package struct CurlLibrary: Sendable, Hashable {
    /// A version of libcurl.
    package struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The number in the form of libcurl, `0xXXYYZZ`.
        private let number: UInt32

        /// Creates a version from its number in the form of libcurl, `0xXXYYZZ`.
        package init(number: UInt32) {
            self.number = number & 0xFF_FFFF
        }

        package static func < (left: Version, right: Version) -> Bool {
            left.number < right.number
        }

        package var description: String {
            "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
        }
    }

    /// The oldest version with which the tests of HTTP/2 pass.
    ///
    /// Earlier ones deliver bodies that a connection error has cut as complete (7.88), wait for more
    /// after one (8.12), and lose responses that arrive before the end of the request (7.88).
    package static let oldestVersionForHTTP2 = Version(number: 0x08_1000)

    /// The version.
    package let version: Version

    /// A Boolean value that indicates whether the library was built with HTTP/2.
    package let hasHTTP2: Bool

    /// Creates the description of a library.
    package init(version: Version, hasHTTP2: Bool) {
        self.version = version
        self.hasHTTP2 = hasHTTP2
    }

    /// A Boolean value that indicates whether the transport uses HTTP/2; otherwise it uses HTTP/1.1.
    package var usesHTTP2: Bool { hasHTTP2 && version >= Self.oldestVersionForHTTP2 }

    /// The library of this process.
    package static let current: CurlLibrary = {
        let library = CurlLibrary(
            version: Version(number: ccurl_version_number()),
            hasHTTP2: ccurl_has_http2() != 0)
        if !library.usesHTTP2 {
            TransportLog.note(
                "libcurl \(library.version) \(library.hasHTTP2 ? "with" : "without") HTTP/2: "
                    + "CurlTransport uses HTTP/1.1; HTTP/2 requires libcurl "
                    + "\(oldestVersionForHTTP2) or later, built with it")
        }
        return library
    }()
}
