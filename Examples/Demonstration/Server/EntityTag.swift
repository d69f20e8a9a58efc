// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The strong validator of a representation.
struct EntityTag: Equatable {
    /// The tag with its quotes, as in the `ETag` header field.
    let text: String

    /// Creates the tag of a body; equal bytes have equal tags.
    init(of body: Data) {
        // FNV-1a, 64 bits: stable between runs, unlike `Hasher`.
        let hash = body.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        text = "\"" + String(hash, radix: 16) + "\""
    }

    /// Returns a Boolean value that indicates whether an `If-None-Match` header lists this tag.
    ///
    /// - Source: RFC 9110 §13.1.2, weak comparison. These tags contain no comma.
    func isNamed(by condition: String) -> Bool {
        condition.split(separator: ",").contains { entry in
            let entry = entry.trimmingCharacters(in: .whitespaces)
            return entry == "*" || entry == text || entry == "W/" + text
        }
    }
}
