// SPDX-License-Identifier: Apache-2.0

// Invariant: the session retains the document. A coding key is used only inside `withUTF8`. A hash
// table has at least twice as many slots as keys, so that every search ends; slot numbers are
// masked to the table size.

extension DecodingSession {
    /// Returns a container over the members of an object; throws for any other value.
    func members<Key: CodingKey>(
        _ type: Key.Type, at index: Int, depth: Int
    ) throws -> ObjectDecodingContainer<Key> {
        guard node(index).kind == .object else {
            throw mismatch([String: Any].self, at: index)
        }
        let isKnown = lastVisit(of: index, depth: depth) >= 0
        return ObjectDecodingContainer(
            session: self, index: index, depth: depth,
            isIndexed: isKnown ? tables[index] != nil : needsTable(index))
    }

    /// Returns a container over the elements of an array; throws for any other value.
    func elements(at index: Int, depth: Int) throws -> ArrayDecodingContainer {
        guard node(index).kind == .array else { throw mismatch([Any].self, at: index) }
        return ArrayDecodingContainer(self, index, depth)
    }

    /// Returns the index of a member's value, the last one of a repeated key; -1 if there is none.
    ///
    /// Servers send the keys of an object in a constant order, and types decode them in a constant
    /// order. So the member after the last match is tried first.
    @inline(__always)
    func member(_ key: String, of object: Int, depth: Int, isIndexed: Bool) -> Int {
        if isIndexed { return indexedMember(key, of: object, depth: depth) }
        var key = key
        return key.withUTF8 { unsafe find($0, of: object, depth: depth) }
    }

    private func indexedMember(_ key: String, of object: Int, depth: Int) -> Int {
        guard let index = tables[object]?[MemberKey(key)] else { return -1 }
        visit(index, of: object, depth: depth)
        return index
    }

    private func find(_ key: UnsafeBufferPointer<UInt8>, of object: Int, depth: Int) -> Int {
        let last = lastVisit(of: object, depth: depth)
        let first = object &+ 1
        let end = view(object).contentEnd
        let start = last < 0 ? first : view(last).nextIndex
        var index = start
        while index < end {
            if unsafe isMatch(view(index), key) {
                visit(index &+ 1, of: object, depth: depth)
                return index &+ 1
            }
            index = view(index &+ 1).nextIndex
        }
        index = first
        while index < start {
            if unsafe isMatch(view(index), key) {
                visit(index &+ 1, of: object, depth: depth)
                return index &+ 1
            }
            index = view(index &+ 1).nextIndex
        }
        return -1
    }

    @inline(__always)
    private func isMatch(_ written: NodeView, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        if keyConversion == nil { return unsafe written.isText(key) }
        return unsafe SnakeCase.isMatch(
            UnsafeBufferPointer(start: written.contentPointer, count: written.contentLength), key)
    }

    /// Returns the converted keys of an object in document order, without repetitions.
    func keys(of object: Int) -> [String] {
        let keys = view(object).members.map { key($0.key) }
        guard tables[object] != nil else { return keys }
        var seen: Set<MemberKey> = []
        return keys.filter { seen.insert(MemberKey($0)).inserted }
    }

    /// Returns a key after conversion.
    func key(_ written: NodeView) -> String {
        let text = written.string() ?? ""
        return keyConversion?.convert(text) ?? text
    }

    // MARK: Key indices

    /// Builds an index of an object's keys, unless they are few and known to be distinct.
    private func needsTable(_ object: Int) -> Bool {
        let view = view(object)
        if hasDistinctKeys(view) { return false }
        if tables[object] != nil { return true }
        var table: [MemberKey: Int] = [:]
        table.reserveCapacity(view.count)
        for member in view.members { table[MemberKey(key(member.key))] = member.value.index }
        tables[object] = table
        return true
    }

    private var isCustom: Bool {
        if case .custom = keyConversion { return true }
        return false
    }

    /// Returns a Boolean value that indicates whether an object has few keys, all of them distinct
    /// after conversion; `false` if this is uncertain.
    private func hasDistinctKeys(_ view: NodeView) -> Bool {
        let count = view.count
        guard count <= 64, !isCustom else { return false }
        let capacity = count <= 16 ? 32 : 128
        return unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 128) { seen in
            for slot in 0..<capacity { unsafe seen[slot] = 0 }
            var index = view.index &+ 1
            let end = view.contentEnd
            while index < end {
                let key = view.at(index)
                guard key.kind == .string else { return false }
                let length = key.contentLength
                let hash =
                    keyConversion == nil
                    ? unsafe keyHash(key.contentPointer, length)
                    : unsafe SnakeCase.hash(key.contentPointer, length)
                // 0 marks a free slot, and a key without a usable hash.
                if hash == 0 { return false }
                var slot = Int(truncatingIfNeeded: hash) & (capacity &- 1)
                while unsafe seen[slot] != 0 {
                    if unsafe seen[slot] == hash { return false }
                    slot = (slot &+ 1) & (capacity &- 1)
                }
                unsafe seen[slot] = hash
                index = view.at(index &+ 1).nextIndex
            }
            return true
        }
    }
}
