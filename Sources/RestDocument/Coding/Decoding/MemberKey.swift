// SPDX-License-Identifier: Apache-2.0

/// A key or field name that compares by bytes, as keys in documents do, and not by canonical
/// equivalence.
///
/// The standard library seeds its hashes randomly, so crafted keys do not collide.
package struct MemberKey: Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: MemberKey, right: MemberKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
