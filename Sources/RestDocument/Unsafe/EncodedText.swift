// SPDX-License-Identifier: Apache-2.0

/// JSON text that grows at its end; copies share it, and who made it frees it.
///
/// Invariant: room is reserved before bytes are written behind the last one, and they are counted
/// afterwards. No pointer into the list is used after the list could have grown, so what is
/// appended is never a part of the same text.
package struct EncodedText {
    @usableFromInline let list: FlatList<UInt8>

    package init(capacity: Int = 512) { list = FlatList(capacity: capacity) }

    /// Gives back the room.
    package func free() { list.free() }

    /// Exchanges two texts.
    func swap(with other: EncodedText) { list.swap(with: other.list) }

    /// Byte count of what was written so far.
    @inlinable @inline(__always)
    package var count: Int { list.count }

    /// What was written from a place on.
    func bytes(from place: Int) -> [UInt8] {
        unsafe place < count ? Array(list.elements[place...]) : []
    }

    /// Forgets what was written from a place on.
    package func truncate(to count: Int) { list.truncate(to: count) }

    /// What was written so far, until more is.
    package var bytes: UnsafeBufferPointer<UInt8> { unsafe list.elements }

    /// The byte at a place, if that is written.
    package func byte(at place: Int) -> UInt8? { place < count ? list[place] : nil }

    /// Puts a byte in the place of one that is written.
    package func replace(at place: Int, with byte: UInt8) {
        precondition(place < count)
        list[place] = byte
    }

    /// Puts a byte before what is written from a place on.
    package func insert(_ byte: UInt8, at place: Int) {
        precondition(place <= count)
        list.reserve(1)
        let start = unsafe list.start + place
        unsafe (start + 1).update(from: start, count: count &- place)
        unsafe start.pointee = byte
        list.extend(by: 1)
    }

    // MARK: Bytes

    @inlinable @inline(__always)
    package func appendByte(_ byte: UInt8) { list.append(byte) }

    package func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        list.reserve(bytes.count)
        unsafe (list.start + count).update(from: source, count: bytes.count)
        list.extend(by: bytes.count)
    }

    /// Appends bytes behind which at least 15 others can be read.
    @inlinable @inline(__always)
    package func append(padded start: UnsafePointer<UInt8>, _ length: Int) {
        list.reserve(length &+ 16)
        let target = unsafe UnsafeMutableRawPointer(list.start + count)
        var position = 0
        while position < length {
            let lanes = unsafe UnsafeRawPointer(start).loadUnaligned(
                fromByteOffset: position, as: SIMD16<UInt8>.self)
            unsafe target.storeBytes(of: lanes, toByteOffset: position, as: SIMD16<UInt8>.self)
            position &+= 16
        }
        list.extend(by: length)
    }

    /// Appends ASCII that needs no escapes.
    @inline(__always)
    package func append(_ literal: StaticString) {
        unsafe append(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends text that needs no escapes.
    package func appendPlain(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    /// Appends a part of another text.
    func append(_ other: EncodedText, _ range: Range<Int>) {
        unsafe append(UnsafeBufferPointer(rebasing: other.list.elements[range]))
    }

    /// Spreads the bytes from a place on.
    @inline(__always)
    func hash(from place: Int) -> UInt32 {
        list.reserve(8)
        return unsafe keyHash(list.start + place, count &- place)
    }

    /// Copies the text and gives back the room.
    func array() -> [UInt8] {
        let copy = bytes(from: 0)
        free()
        return copy
    }

    /// Makes a document of the text, which is valid, and gives the room to it.
    package func document() throws(DocumentError) -> Document {
        list.reserve(DocumentStorage.padding)
        let count = count
        return try unsafe Document(
            adopting: list.takeElements(), byteCount: count, limits: .none)
    }

    // MARK: Values

    /// Appends text in quotes.
    @inline(__always)
    package func appendQuoted(_ text: String) {
        var text = text
        text.withUTF8 { unsafe appendQuoted($0) }
    }

    private func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
        list.reserve(bytes.count &+ 2)
        let out = unsafe list.start + count
        unsafe out[0] = UInt8(ascii: "\"")
        guard unsafe copyPlain(bytes, to: out + 1) else {
            unsafe appendEscaped(bytes)
            return
        }
        unsafe out[bytes.count &+ 1] = UInt8(ascii: "\"")
        list.extend(by: bytes.count &+ 2)
    }

    @inline(never)
    private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An escape is at most six bytes.
        list.reserve(bytes.count * 6 + 2)
        let out = unsafe list.start + count
        unsafe out.pointee = UInt8(ascii: "\"")
        let end = unsafe writeEscaped(bytes, to: out + 1)
        unsafe end.pointee = UInt8(ascii: "\"")
        unsafe list.extend(by: end - out + 1)
    }

    package func append(_ value: Bool) { append(value ? "true" : "false") }

    func append(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            append(whole: value)
        } else if let value = UInt64(exactly: value) {
            append(magnitude: value, isNegative: false)
        } else {
            appendPlain(value.description)
        }
    }

    /// Appends a whole number.
    package func append(whole value: Int64) {
        append(magnitude: value.magnitude, isNegative: value < 0)
    }

    private func append(magnitude: UInt64, isNegative: Bool) {
        list.reserve(21)
        if isNegative { list.append(UInt8(ascii: "-")) }
        let length = digitCount(magnitude)
        unsafe writeDigits(magnitude, length, to: list.start + count)
        list.extend(by: length)
    }

    /// Appends a number of which the last so many digits, at most 19, are a fraction; zeros at its
    /// end are left out.
    package func append(digits: UInt64, fractionDigits: Int, isNegative: Bool) {
        var (digits, fractionDigits) = (digits, fractionDigits)
        while fractionDigits > 0, digits % 10 == 0 {
            digits /= 10
            fractionDigits -= 1
        }
        var scale: UInt64 = 1
        for _ in 0..<fractionDigits { scale *= 10 }
        append(magnitude: digits / scale, isNegative: isNegative)
        guard fractionDigits > 0 else { return }
        list.append(UInt8(ascii: "."))
        list.reserve(fractionDigits)
        unsafe writeDigits(digits % scale, fractionDigits, to: list.start + count)
        list.extend(by: fractionDigits)
    }

    /// Appends a moment as ``CivilDate/iso8601(fractionDigits:offset:)`` writes it.
    package func append(_ moment: CivilDate, fractionDigits: Int, offset: Int) {
        list.reserve(CivilDate.longestText)
        list.extend(
            by: unsafe moment.write(
                fractionDigits: fractionDigits, offset: offset, to: list.start + count))
    }

    /// Appends a number with the fewest digits that read back as the same double.
    package func append(_ value: Double) { appendPlain(value.description) }

    /// Appends a number with the fewest digits that read back as the same float.
    package func append(_ value: Float) { appendPlain(value.description) }
}
