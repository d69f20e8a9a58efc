// SPDX-License-Identifier: Apache-2.0

/// What a request carries after its header.
public struct MessageBody: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        case empty
        case bytes([UInt8])
    }

    package let storage: Storage

    /// No body and no length field, as in a GET.
    public static let empty = MessageBody(storage: .empty)

    /// A body held in memory, sent with its length; it may have zero bytes.
    ///
    /// - Parameter bytes: The body exactly as it goes on the wire.
    /// - Returns: The body.
    public static func bytes(_ bytes: [UInt8]) -> MessageBody {
        MessageBody(storage: .bytes(bytes))
    }

    /// Whether there is no body at all; a body of zero bytes is one.
    public var isEmpty: Bool { storage == .empty }

    /// Whether the body can be sent more than once.
    public var isReplayable: Bool { true }

    /// The body's bytes when it is held in memory, else `nil`.
    public var bytes: [UInt8]? {
        switch storage {
        case .empty: nil
        case .bytes(let bytes): bytes
        }
    }
}
