// SPDX-License-Identifier: Apache-2.0

/// A key that compares by bytes, as keys in documents do, and not by canonical equivalence.
struct MemberKey: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: MemberKey, right: MemberKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
