// SPDX-License-Identifier: Apache-2.0

/// What a document may grow to before parsing it is refused.
///
/// Every limit is checked at its exact value: input that reaches it passes, one more does not.
///
/// Memory: a document takes its input once plus 16 bytes for every value and every key, at most one
/// per input byte, in room of which at least a quarter is used; while it is being parsed, half as
/// much again may be reserved.
public struct ParseLimits: Sendable, Hashable {
    /// Bytes of input; 1 GiB by default.
    public var byteCount = 1 << 30
    /// Containers inside each other; 512 by default, `Int.max` for any depth.
    public var depth = 512
    /// Bytes of one string or key as written; 256 MiB by default.
    public var stringByteCount = 1 << 28
    /// Members of one object; 16,777,216 by default.
    public var memberCount = 1 << 24
    /// Values and keys of the whole document; 268,435,456 by default, never more than 2³² − 4.
    public var nodeCount = 1 << 28
    /// Whether an object that repeats a key is refused instead of its last value being taken.
    public var rejectsDuplicateKeys = false

    /// The limits used where none are given.
    public static let `default` = ParseLimits()

    /// No limits but those of memory and of the tape itself.
    public static var none: ParseLimits {
        var limits = ParseLimits()
        limits.byteCount = .max
        limits.depth = .max
        limits.stringByteCount = .max
        limits.memberCount = .max
        limits.nodeCount = .max
        return limits
    }

    /// Makes the default limits.
    public init() {}
}
