// SPDX-License-Identifier: Apache-2.0

// The digest of CryptoKit that the package uses.

public import Foundation

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

public enum SHA256 {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { fatalError() }
}
