// SPDX-License-Identifier: Apache-2.0

// Invariant: views and their bytes are used only inside the call that received the view, whose
// creator keeps the document alive.

extension NodeView {
    /// Compares the unescaped text of two strings byte by byte.
    ///
    /// - Returns: A negative number, 0 or a positive number, as `memcmp` does.
    func compareText(_ other: NodeView) -> Int {
        if kind == .string, other.kind == .string {
            let left = unsafe UnsafeBufferPointer(start: contentPointer, count: contentLength)
            let right = unsafe UnsafeBufferPointer(
                start: other.contentPointer, count: other.contentLength)
            return unsafe compareBytes(left, right)
        }
        return unsafe withTextBytes { left in
            unsafe other.withTextBytes { right in unsafe compareBytes(left, right) }
        }
    }

    /// Returns the indices of an object's keys, sorted by text; equal keys are in document order.
    ///
    /// - Complexity: O(*n* log *n*) in the number of members.
    func sortedKeys() -> [Int] {
        var keys: [Int] = []
        keys.reserveCapacity(count)
        for member in members { keys.append(member.key.index) }
        keys.sort { left, right in
            let order = at(left).compareText(at(right))
            return order == 0 ? left < right : order < 0
        }
        return keys
    }

    /// Returns the indices of an object's keys, sorted by text, with only the last of equal keys.
    func sortedDistinctKeys() -> [Int] {
        var keys = sortedKeys()
        var kept = 0
        for position in keys.indices {
            if kept > 0, at(keys[kept - 1]).compareText(at(keys[position])) == 0 { kept -= 1 }
            keys[kept] = keys[position]
            kept += 1
        }
        keys.removeSubrange(kept...)
        return keys
    }

    /// Returns the indices of an object's keys that repeat an earlier key, in document order.
    ///
    /// The standard library seeds its hashes randomly, so crafted keys do not collide.
    func repeatedKeys() -> [Int] {
        let count = count
        if count < 2 { return [] }
        if count <= 12, hasDistinctSmallKeys() { return [] }
        var known: Set<KeyText> = []
        known.reserveCapacity(count)
        var repeated: [Int] = []
        for member in members where !known.insert(KeyText(view: member.key)).inserted {
            repeated.append(member.key.index)
        }
        return repeated
    }

    /// Returns a Boolean value that indicates whether the keys of a small object are distinct and
    /// free of escapes.
    private func hasDistinctSmallKeys() -> Bool {
        var outer = members
        while let left = outer.next()?.key {
            guard left.kind == .string else { return false }
            let text = unsafe UnsafeBufferPointer(
                start: left.contentPointer, count: left.contentLength)
            var inner = outer
            while let right = inner.next()?.key {
                if unsafe right.kind != .string || right.isText(text) { return false }
            }
        }
        return true
    }
}

/// The unescaped text of a key.
package struct KeyText: Hashable {
    let view: NodeView

    package init(view: NodeView) { self.view = view }

    package static func == (left: KeyText, right: KeyText) -> Bool {
        left.view.compareText(right.view) == 0
    }

    package func hash(into hasher: inout Hasher) {
        unsafe view.withTextBytes { text in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(text))
        }
    }
}
