// SPDX-License-Identifier: Apache-2.0

// Invariant: the run keeps the document alive. A type's key is used inside of `withUTF8`. The slots
// of a table are twice the keys or more, so that a search ends, and masked to the table's size.

extension DecodingRun {
    /// The members of an object; an error when the value is none.
    func members<Key: CodingKey>(
        _ type: Key.Type, at index: Int, depth: Int
    ) throws -> MemberDecoding<Key> {
        guard node(index).kind == .object else {
            throw fault([String: Any].self, at: index)
        }
        let isKnown = lastVisit(of: index, depth: depth) >= 0
        return MemberDecoding(
            run: self, index: index, depth: depth,
            isIndexed: isKnown ? tables[index] != nil : needsTable(index))
    }

    /// The elements of an array; an error when the value is none.
    func elements(at index: Int, depth: Int) throws -> ElementDecoding {
        guard node(index).kind == .array else { throw fault([Any].self, at: index) }
        return ElementDecoding(self, index, depth)
    }

    /// The place of a member's value, the last one's where keys repeat; -1 for none.
    ///
    /// Servers send the keys of an object in one order, and types ask for them in one, so the
    /// member after the last hit is tried first.
    @inline(__always)
    func member(_ key: String, of object: Int, depth: Int, isIndexed: Bool) -> Int {
        if isIndexed { return indexedMember(key, of: object, depth: depth) }
        var key = key
        return key.withUTF8 { unsafe find($0, of: object, depth: depth) }
    }

    private func indexedMember(_ key: String, of object: Int, depth: Int) -> Int {
        guard let place = tables[object]?[MemberKey(key)] else { return -1 }
        visit(place, of: object, depth: depth)
        return place
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

    /// The keys of an object as its type knows them, in document order and each once.
    func keys(of object: Int) -> [String] {
        let keys = view(object).members.map { key($0.key) }
        guard tables[object] != nil else { return keys }
        var seen: Set<MemberKey> = []
        return keys.filter { seen.insert(MemberKey($0)).inserted }
    }

    /// A key as its type knows it.
    func key(_ written: NodeView) -> String {
        let text = written.string() ?? ""
        return keyConversion?.convert(text) ?? text
    }

    // MARK: Tables

    /// Makes a table of an object's keys, unless they are few and known to be different.
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

    /// Whether an object has few keys, no two of which can mean the same; a guess that errs on
    /// the side of `false`.
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
                // 0 marks a free slot, and a key whose hash nothing can be said about.
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

/// Spreads the bytes of a key; up to seven bytes behind it are read.
///
/// Invariant: there is room for them, a document's padding or what a text has reserved; they do not
/// count.
@inline(__always)
func keyHash(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
    let raw = unsafe UnsafeRawPointer(bytes)
    var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var position = 0
    while position &+ 8 <= count {
        let word = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 32
        position &+= 8
    }
    if position < count {
        let word = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let unused = UInt64(truncatingIfNeeded: 64 &- (count &- position) &* 8)
        hash = (hash ^ (word.littleEndian << unused)) &* 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 32
    }
    return UInt32(truncatingIfNeeded: hash) | 1
}

/// A key that is equal to another when its bytes are, as in documents.
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
