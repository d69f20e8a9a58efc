// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Text as its length and its ends say it, so that most texts are compared without being decoded.
struct TextKey: Hashable, Sendable {
    private let first: UInt64
    private let last: UInt64
    private let length: Int

    /// Whether two texts with the same key are the same.
    var isWhole: Bool { length <= 16 }

    /// Spreads texts over a table.
    var spread: Int { PlanKey.hash(first, last, length) }

    init(_ text: String) {
        let bytes = Array(text.utf8)
        (first, last) = PlanKey.words(of: bytes)
        length = bytes.count
    }

    /// - Parameter view: Text without escapes.
    init(_ view: NodeView) {
        length = view.contentLength
        unsafe (first, last) = PlanKey.words(view.contentPointer, view.contentLength)
    }
}

extension PlanKey {
    /// The two words of a key of the plan, as ``words(_:_:)`` reads them from a document.
    static func words(of bytes: [UInt8]) -> (UInt64, UInt64) {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        return (word(bytes.prefix(8)), bytes.count > 8 ? word(bytes.suffix(8)) : 0)
    }
}

extension NodeView {
    /// The value of the last member with a key, or nil when the value is no object or has none.
    func member(_ key: TextKey, _ text: String) -> NodeView? {
        var found: NodeView?
        for member in members {
            if member.key.kind == .string {
                guard TextKey(member.key) == key, key.isWhole || member.key.string() == text
                else { continue }
            } else if member.key.string() != text {
                continue
            }
            found = member.value
        }
        return found
    }

    /// Whether the value belongs to a document.
    func isOf(_ storage: DocumentStorage) -> Bool { unsafe nodes == storage.nodes }
}
