// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
    /// Sorting by comparison and not by a hash table keeps crafted keys harmless.
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

    /// Indices of an object's keys that were there before.
    func repeatedKeys() -> [Int] {
        let count = count
        if count < 2 { return [] }
        if count <= 12, hasDistinctSmallKeys() { return [] }
        let keys = sortedKeys()
        var repeated: [Int] = []
        for position in 1..<keys.count
        where at(keys[position - 1]).compareText(at(keys[position])) == 0 {
            repeated.append(keys[position])
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
