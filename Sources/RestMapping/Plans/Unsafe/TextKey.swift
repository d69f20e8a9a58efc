// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The length, the beginning and the end of a text: most texts compare by them without decoding.
struct TextKey: Hashable, Sendable {
    private let first: UInt64
    private let last: UInt64
    private let length: Int

    /// A Boolean value that indicates whether texts with this key are equal.
    var isWhole: Bool { length <= 16 }

    /// The hash for a table of texts.
    var tableHash: Int { PlanKey.hash(first, last, length) }

    init(_ text: String) {
        let bytes = Array(text.utf8)
        (first, last) = PlanKey.words(of: bytes)
        length = bytes.count
    }

    /// Creates the key of a value.
    ///
    /// - Parameter view: Text without escapes.
    init(_ view: NodeView) {
        length = view.contentLength
        unsafe (first, last) = PlanKey.words(view.contentPointer, view.contentLength)
    }
}

extension NodeView {
    /// Returns the value of the last member with a key; `nil` if the value is not an object or has none.
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

    /// Returns a Boolean value that indicates whether the value belongs to a document.
    func isOf(_ storage: DocumentStorage) -> Bool { unsafe nodes == storage.nodes }
}
