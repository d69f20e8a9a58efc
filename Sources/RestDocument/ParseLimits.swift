// SPDX-License-Identifier: Apache-2.0

/// The limits that a document must not exceed while it is parsed.
///
/// A limit is inclusive: input that reaches it passes, and one more is an error.
///
/// A document occupies the size of its input plus 16 bytes for every value and key, of which there
/// is at most one per input byte. At least a quarter of the allocated memory is used. During
/// parsing, half as much again may be reserved.
public struct ParseLimits: Sendable, Hashable {
    /// The maximum number of input bytes; 1 GiB by default.
    public var byteCount = 1 << 30
    /// The maximum nesting of containers; 512 by default, `Int.max` for any depth.
    public var depth = 512
    /// The maximum number of bytes of one string or key, as written; 256 MiB by default.
    public var stringByteCount = 1 << 28
    /// The maximum number of members of one object; 16,777,216 by default.
    public var memberCount = 1 << 24
    /// The maximum number of values and keys in the document; 268,435,456 by default, never more
    /// than 2³² − 4.
    public var nodeCount = 1 << 28
    /// A Boolean value that indicates whether a repeated key is an error.
    ///
    /// By default, the last value counts.
    public var rejectsDuplicateKeys = false

    /// The default limits.
    public static let `default` = ParseLimits()

    /// Limits that only memory and the tape format bound.
    public static var none: ParseLimits {
        var limits = ParseLimits()
        limits.byteCount = .max
        limits.depth = .max
        limits.stringByteCount = .max
        limits.memberCount = .max
        limits.nodeCount = .max
        return limits
    }

    /// Creates the default limits.
    public init() {}
}
