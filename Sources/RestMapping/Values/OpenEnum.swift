// SPDX-License-Identifier: Apache-2.0

/// A case of an enumeration, or a raw value without a case, which is kept as it came.
///
/// A growing API sends values that did not exist when the program was written. Unlike
/// ``UnknownValue``, which replaces them by one case, this type keeps them, so that writing the value
/// back loses nothing.
///
///     enum Status: String { case open, closed }
///     @Mapped struct Article { var status: OpenEnum<Status> }
///
///     switch article.status {
///     case .known(.open): show()
///     case .known(.closed): hide()
///     case .unknown(let text): log(text)
///     }
public enum OpenEnum<Known: RawRepresentable & SendableMetatype>: RawRepresentable {
    /// A case of the enumeration.
    case known(Known)
    /// A raw value without a case.
    case unknown(Known.RawValue)

    /// Creates the case with a raw value, or an unknown one.
    @inlinable
    public init(rawValue: Known.RawValue) {
        if let value = Known(rawValue: rawValue) {
            self = .known(value)
        } else {
            self = .unknown(rawValue)
        }
    }

    /// The raw value.
    @inlinable public var rawValue: Known.RawValue {
        switch self {
        case .known(let value): value.rawValue
        case .unknown(let value): value
        }
    }

    /// The case of the enumeration; `nil` for an unknown raw value.
    @inlinable public var knownValue: Known? {
        if case .known(let value) = self { value } else { nil }
    }
}

extension OpenEnum: Sendable where Known: Sendable, Known.RawValue: Sendable {}

extension OpenEnum: Equatable where Known.RawValue: Equatable {
    /// Returns a Boolean value that indicates whether two raw values are equal.
    @inlinable
    public static func == (left: OpenEnum, right: OpenEnum) -> Bool {
        left.rawValue == right.rawValue
    }
}

extension OpenEnum: Hashable where Known.RawValue: Hashable {
    /// Hashes the raw value.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension OpenEnum: MappableValue where Known.RawValue: MappableValue {}
