// SPDX-License-Identifier: Apache-2.0

// Begins, reopens and ends containers at the position of the next value.

extension EncodingSession {
    // MARK: Beginning

    /// Begins an object, or continues the object that was begun.
    func beginObject(_ record: Int) {
        if self[record].kind == .object { return }
        begin(record, .object)
        self[record].firstHash = keyHashes.count
        text.appendByte(UInt8(ascii: "{"))
    }

    /// Begins an array, or continues the array that was begun.
    func beginArray(_ record: Int) {
        if self[record].kind == .array { return }
        begin(record, .array)
        text.appendByte(UInt8(ascii: "["))
    }

    /// Begins a scalar.
    ///
    /// The caller appends it immediately.
    func beginScalar(_ record: Int) {
        begin(record, .scalar)
        if !isSegmentRoot { closeLast() }
    }

    private func begin(_ record: Int, _ kind: EncodingRecord.Kind) {
        precondition(
            self[record].kind == .empty, "a value is encoded once, as an object, array or scalar")
        focus(record)
        self[record].kind = kind
    }

    /// Begins a member of an object.
    ///
    /// - Returns: The offset of the key.
    @inline(__always)
    func beginMember(_ key: String, of object: Int) -> Int {
        focus(object)
        separate(object)
        let key = convert(key)
        let step = text.count
        text.appendQuoted(key)
        recordKey(step, of: object)
        text.appendByte(UInt8(ascii: ":"))
        return step
    }

    /// Begins an element of an array.
    ///
    /// - Returns: The position of the element.
    @inline(__always)
    func beginElement(of array: Int) -> Int {
        focus(array)
        separate(array)
        return self[array].count &- 1
    }

    /// Begins a member of an object whose keys are known to be distinct and are not converted.
    func beginDistinctMember(_ key: String, of object: Int) -> Int {
        focus(object)
        separate(object)
        let step = text.count
        text.appendQuoted(key)
        text.appendByte(UInt8(ascii: ":"))
        return step
    }

    /// Returns a container for a member: the one that a superclass began under the key, or a new
    /// one.
    func nested(_ key: String, of object: Int, _ kind: EncodingRecord.Kind) -> Int {
        let wasRepeated = mayRepeatKeys
        let savepoint = savepoint(object)
        let step = beginMember(key, of: object)
        if mayRepeatKeys {
            let key = self.key(at: step, in: textIndex)
            for record in object + 1..<records.count
            where self[record].parent == object && self[record].kind == kind
                && self[record].state != .dropped
                && self.key(at: self[record].step, in: self[record].stepText) == key
            {
                rollBack(to: savepoint)
                mayRepeatKeys = wasRepeated
                return record
            }
        }
        return newRecord(in: object, step: step)
    }

    @inline(__always)
    private func separate(_ container: Int) {
        if self[container].count > 0 { text.appendByte(UInt8(ascii: ",")) }
        self[container].count &+= 1
    }

    @inline(__always)
    private func convert(_ key: String) -> String {
        if case .useDefaultKeys = encoder.keyEncodingStrategy { return key }
        if let known = convertedKeys[key] { return known }
        let converted: String
        switch encoder.keyEncodingStrategy {
        case .useDefaultKeys: return key
        case .convertToSnakeCase: converted = SnakeCase.snakeCase(key)
        case .custom(let convert): converted = convert(key)
        }
        convertedKeys[key] = converted
        return converted
    }

    /// Records the hash of the last key, to detect a repetition.
    @inline(__always)
    private func recordKey(_ step: Int, of object: Int) {
        if mayRepeatKeys { return }
        let first = self[object].firstHash
        let hash = text.hash(from: step)
        if keyHashes.count &- first >= 64 {
            mayRepeatKeys = true
            return
        }
        var index = keyHashes.count
        while index > first {
            index &-= 1
            if keyHashes[index] == hash { mayRepeatKeys = true }
        }
        keyHashes.append(hash)
    }

    // MARK: Ending

    /// Ends a value after its type's own code has returned.
    func endValue(_ record: Int) {
        guard self[record].state == .open else { return }
        focus(record)
        if isSegmentRoot { return }
        if self[record].kind == .empty { beginObject(record) }
        closeLast()
    }

    /// A Boolean value that indicates whether the innermost open value is the root of a segment.
    private var isSegmentRoot: Bool { textIndex != 0 && open.count == 1 }

    /// Ends the innermost open value.
    func closeLast() {
        guard let record = open.last else { return }
        open.truncate(to: open.count - 1)
        self[record].state = .closed
        self[record].end = text.count
        switch self[record].kind {
        case .empty: emptyRecords.append(record)
        case .scalar: break
        case .array where !self[record].isContinued: text.appendByte(UInt8(ascii: "]"))
        case .object where !self[record].isContinued: text.appendByte(UInt8(ascii: "}"))
        case .array, .object: break
        }
        if self[record].kind == .object { keyHashes.truncate(to: self[record].firstHash) }
    }

    // MARK: Reopening

    /// Reopens a value as the innermost one.
    @inline(__always)
    func focus(_ record: Int) {
        if open.last != record { reopen(record) }
    }

    @inline(never)
    private func reopen(_ record: Int) {
        if self[record].state == .open {
            switchText(to: self[record].text)
            while let last = open.last, last != record { closeLast() }
            return
        }
        let old = self[record]
        let segment = others.count + 1
        saveText()
        textIndex = segment
        open.append(record)
        if old.state == .closed {
            segments.append(
                Segment(record: record, enclosingText: old.text, offset: old.end, text: segment))
        }
        self[record].state = .open
        self[record].isContinued = old.kind != .empty
        self[record].text = segment
        self[record].firstHash = keyHashes.count
        mayRepeatKeys = true
    }

    func switchText(to index: Int) {
        guard index != textIndex, let other = others.removeValue(forKey: index) else { return }
        saveText()
        text.swap(with: other.text)
        open.swap(with: other.open)
        other.text.free()
        other.open.free()
        textIndex = index
    }

    /// Saves the current text with its open values, and begins an empty one.
    private func saveText() {
        let old = (text: JSONTextBuffer(), open: UnmanagedArray<Int>(capacity: 8))
        text.swap(with: old.text)
        open.swap(with: old.open)
        others[textIndex] = old
    }
}
