// SPDX-License-Identifier: Apache-2.0

// Where the next value goes: containers are begun, left, gone back to and ended.

extension EncodingRun {
    // MARK: Beginning

    /// Makes the value an object, or goes on with the object it is.
    func beginObject(_ record: Int) {
        if self[record].kind == .object { return }
        begin(record, .object)
        self[record].firstHash = keyHashes.count
        text.appendByte(UInt8(ascii: "{"))
    }

    /// Makes the value an array, or goes on with the array it is.
    func beginArray(_ record: Int) {
        if self[record].kind == .array { return }
        begin(record, .array)
        text.appendByte(UInt8(ascii: "["))
    }

    /// Makes the value a scalar, which is to be appended at once.
    func beginScalar(_ record: Int) {
        begin(record, .scalar)
        if !isAnnexBase { closeLast() }
    }

    private func begin(_ record: Int, _ kind: EncodingRecord.Kind) {
        precondition(
            self[record].kind == .empty, "a value is encoded once, as an object, array or scalar")
        focus(record)
        self[record].kind = kind
    }

    /// Begins a member of an object.
    ///
    /// - Returns: Where its key begins.
    @inline(__always)
    func beginMember(_ key: String, of object: Int) -> Int {
        focus(object)
        separate(object)
        let key = convert(key)
        let step = text.count
        text.appendQuoted(key)
        note(step, of: object)
        text.appendByte(UInt8(ascii: ":"))
        return step
    }

    /// Begins an element of an array.
    ///
    /// - Returns: Its position.
    @inline(__always)
    func beginElement(of array: Int) -> Int {
        focus(array)
        separate(array)
        return self[array].count &- 1
    }

    /// Begins a member of an object whose keys are known to be different, and not to be converted.
    func beginDistinctMember(_ key: String, of object: Int) -> Int {
        focus(object)
        separate(object)
        let step = text.count
        text.appendQuoted(key)
        text.appendByte(UInt8(ascii: ":"))
        return step
    }

    /// A container inside an object: the one under the key, where a superclass began it, or a new
    /// one.
    func nested(_ key: String, of object: Int, _ kind: EncodingRecord.Kind) -> Int {
        let wasRepeated = mayRepeatKeys
        let mark = mark(object)
        let step = beginMember(key, of: object)
        if mayRepeatKeys {
            let key = self.key(at: step, in: textIndex)
            for record in object + 1..<records.count
            where self[record].parent == object && self[record].kind == kind
                && self[record].state != .dropped
                && self.key(at: self[record].step, in: self[record].stepText) == key
            {
                takeBack(to: mark)
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

    /// Notes a key that was just written, in case the object has it already.
    @inline(__always)
    private func note(_ step: Int, of object: Int) {
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

    /// Ends a value after its type's own code has run.
    func endValue(_ record: Int) {
        guard self[record].state == .open else { return }
        focus(record)
        if isAnnexBase { return }
        if self[record].kind == .empty { beginObject(record) }
        closeLast()
    }

    /// Whether the innermost open value has a text of its own.
    private var isAnnexBase: Bool { textIndex != 0 && open.count == 1 }

    /// Leaves the innermost open value.
    private func closeLast() {
        guard let record = open.last else { return }
        open.truncate(to: open.count - 1)
        self[record].state = .closed
        self[record].end = text.count
        switch self[record].kind {
        case .empty: emptyPlaces.append(record)
        case .scalar: break
        case .array where !self[record].isContinued: text.appendByte(UInt8(ascii: "]"))
        case .object where !self[record].isContinued: text.appendByte(UInt8(ascii: "}"))
        case .array, .object: break
        }
        if self[record].kind == .object { keyHashes.truncate(to: self[record].firstHash) }
    }

    // MARK: Going back

    /// Makes a value the innermost open one.
    @inline(__always)
    func focus(_ record: Int) {
        if open.last != record { goBack(to: record) }
    }

    @inline(never)
    private func goBack(to record: Int) {
        if self[record].state == .open {
            switchText(to: self[record].text)
            while let last = open.last, last != record { closeLast() }
            return
        }
        let old = self[record]
        let annex = others.count + 1
        leaveText()
        textIndex = annex
        open.append(record)
        if old.state == .closed {
            annexes.append(Annex(record: record, text: old.text, offset: old.end, annex: annex))
        }
        self[record].state = .open
        self[record].isContinued = old.kind != .empty
        self[record].text = annex
        self[record].firstHash = keyHashes.count
        mayRepeatKeys = true
    }

    private func switchText(to index: Int) {
        guard index != textIndex, let other = others.removeValue(forKey: index) else { return }
        leaveText()
        text.swap(with: other.text)
        open.swap(with: other.open)
        other.text.free()
        other.open.free()
        textIndex = index
    }

    /// Puts the text and what is open in it aside, and begins with none.
    private func leaveText() {
        let old = (text: EncodedText(), open: FlatList<Int>(capacity: 8))
        text.swap(with: old.text)
        open.swap(with: old.open)
        others[textIndex] = old
    }

    // MARK: Taking back

    /// What is needed to forget a member or element that fails.
    struct Mark {
        let container: Int
        let count: Int
        let length: Int
        let text: Int
        let openCount: Int
        let recordCount: Int
    }

    /// The state before a member or element of a container.
    @inline(__always)
    func mark(_ container: Int) -> Mark {
        focus(container)
        return Mark(
            container: container, count: self[container].count, length: text.count,
            text: textIndex, openCount: open.count, recordCount: records.count)
    }

    /// Forgets a member or element that failed, in case its type goes on without.
    @inline(never)
    func takeBack(to mark: Mark) {
        switchText(to: mark.text)
        for record in mark.recordCount..<records.count { self[record].state = .dropped }
        annexes.removeAll { $0.record >= mark.recordCount }
        guard open.count >= mark.openCount, open[mark.openCount - 1] == mark.container else {
            return
        }
        open.truncate(to: mark.openCount)
        text.truncate(to: mark.length)
        self[mark.container].count = mark.count
        let isObject = self[mark.container].kind == .object
        if isObject { keyHashes.truncate(to: self[mark.container].firstHash + mark.count) }
    }

    /// Forgets what failed in the place of a single value, which may be encoded again.
    @inline(never)
    func takeBack(
        inPlace record: Int, text: Int, length: Int, _ openCount: Int, _ recordCount: Int
    ) {
        switchText(to: text)
        for record in recordCount..<records.count { self[record].state = .dropped }
        annexes.removeAll { $0.record >= recordCount }
        guard open.count >= openCount else { return }
        open.truncate(to: openCount)
        self.text.truncate(to: length)
        if open.last != record { open.append(record) }
        self[record].kind = .empty
        self[record].state = .open
    }

    // MARK: Finishing

    /// The text of the outermost value; whoever asks for it owns it.
    private func finish(_ value: some Encodable) throws(DocumentError) -> EncodedText {
        do {
            try write(value, in: -1, step: 0)
        } catch {
            throw border(error)
        }
        for index in others.keys.sorted() + [textIndex] {
            switchText(to: index)
            while open.count > 0 { closeLast() }
        }
        switchText(to: 0)
        for record in emptyPlaces
        where self[record].kind == .empty && self[record].state == .closed {
            let place = self[record]
            annexes.append(Annex(record: record, text: place.text, offset: place.end, annex: -1))
        }
        let whole = EncodedText()
        if annexes.isEmpty { whole.swap(with: text) } else { assemble(0, into: whole) }
        return whole
    }

    /// The outermost value as a document.
    func document(of value: some Encodable) throws(DocumentError) -> Document {
        try distinct(finish(value))
    }

    private func distinct(_ text: EncodedText) throws(DocumentError) -> Document {
        let document = try text.document()
        guard mayRepeatKeys, !document.storage.repeatedKeys().isEmpty else { return document }
        return try Document(parsing: document.root.withView(distinctBytes), limits: .none)
    }

    /// The outermost value as compact text.
    func bytes(of value: some Encodable) throws(DocumentError) -> [UInt8] {
        let text = try finish(value)
        return mayRepeatKeys ? try distinct(text).root.compactBytes() : text.array()
    }

    /// A value with only the last one of repeated keys.
    private func distinctBytes(_ view: NodeView) -> [UInt8] {
        var pass = LayoutPass(.compact, dropsRepeatedKeys: true)
        pass.write(view)
        return pass.output
    }

    /// Appends a text with its annexes where they belong.
    private func assemble(_ index: Int, into whole: EncodedText) {
        let piece = index == textIndex ? text : others[index]?.text ?? text
        var start = 0
        // At one offset, what is inside comes before what goes on around it.
        let inserted = annexes.filter { $0.text == index }.sorted {
            ($0.offset, -$0.record) < ($1.offset, -$1.record)
        }
        for annex in inserted {
            whole.append(piece, start..<annex.offset)
            start = annex.offset
            if annex.annex < 0 { whole.append("{}") } else { assemble(annex.annex, into: whole) }
        }
        whole.append(piece, start..<piece.count)
    }
}
