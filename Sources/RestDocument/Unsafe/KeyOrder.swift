// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Invariant: views and the bytes they lead to are used inside of the call that was handed the view,
// whose maker keeps the document alive; two texts are compared up to the shorter one's end.

extension NodeView {
    /// Compares the text of two strings byte by byte, however they were written.
    ///
    /// - Returns: Below 0, 0 or above 0, as `memcmp` does.
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

    /// Indices of an object's keys by their text, equal ones in document order.
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

    /// As ``sortedKeys()``, with only the last of equal keys.
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

    /// Indices of an object's keys that were there before, in document order.
    ///
    /// The standard library seeds its hashes, so that crafted keys do not collide.
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

    /// Whether no two keys of a small object are written alike, and none has an escape.
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

/// The text of a key, however it was written.
private struct KeyText: Hashable {
    let view: NodeView

    static func == (left: KeyText, right: KeyText) -> Bool {
        left.view.compareText(right.view) == 0
    }

    func hash(into hasher: inout Hasher) {
        unsafe view.withTextBytes { text in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(text))
        }
    }
}

private func compareBytes(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let start = left.baseAddress, let other = right.baseAddress {
        let order = unsafe memcmp(start, other, shared)
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}
