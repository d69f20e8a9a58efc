// SPDX-License-Identifier: Apache-2.0

package import Testing

extension Tag {
    /// A rule of an RFC or another published specification.
    @Tag package static var specification: Self

    /// A behavior of RestKit for Objective-C.
    @Tag package static var parity: Self

    /// A fixed defect.
    @Tag package static var regression: Self

    /// Several concurrent tasks or threads.
    @Tag package static var concurrency: Self

    /// Bytes over a real socket.
    @Tag package static var socket: Self

    /// A duration of more than about a second.
    @Tag package static var slow: Self

    /// The expansion or the diagnostics of a macro.
    @Tag package static var macro: Self
}
