// SPDX-License-Identifier: Apache-2.0

package import Testing

extension Tag {
    /// A rule of an RFC or another published specification.
    @Tag package static var specification: Self

    /// A behaviour that RestKit promised.
    @Tag package static var parity: Self

    /// A fault that was found once and must not return.
    @Tag package static var regression: Self

    /// Several tasks or threads at once.
    @Tag package static var concurrency: Self

    /// Real bytes over a real socket.
    @Tag package static var socket: Self

    /// More than about a second.
    @Tag package static var slow: Self

    /// What a macro emits or refuses.
    @Tag package static var macro: Self
}
