// SPDX-License-Identifier: Apache-2.0

package import RestSyntax

/// A growable buffer for JSON text.
///
/// Copies share the buffer, and its creator frees it.
///
/// Invariant: memory is reserved before bytes are written after the last one, and the count
/// increases afterwards. Pointers into the array are not used after the array may have grown, so
/// appended bytes are never part of the same buffer.
package struct JSONTextBuffer {
    @usableFromInline let array: UnmanagedArray<UInt8>

    package init(capacity: Int = 512) { array = UnmanagedArray(capacity: capacity) }

    /// Frees the memory.
    package func free() { array.free() }

    /// Swaps the contents of two buffers.
    func swap(with other: JSONTextBuffer) { array.swap(with: other.array) }

    /// The number of bytes of the text.
    @inlinable @inline(__always)
    package var count: Int { array.count }

    /// Returns the bytes from an offset on.
    func bytes(from offset: Int) -> [UInt8] {
        unsafe offset < count ? Array(array.elements[offset...]) : []
    }

    /// Removes the bytes from an offset on.
    package func truncate(to count: Int) { array.truncate(to: count) }

    /// The bytes of the text; valid until it grows.
    package var bytes: UnsafeBufferPointer<UInt8> { unsafe array.elements }

    /// Returns the byte at an offset; `nil` beyond the end.
    package func byte(at offset: Int) -> UInt8? { offset < count ? array[offset] : nil }

    /// Replaces the byte at an offset.
    package func replace(at offset: Int, with byte: UInt8) {
        precondition(offset < count)
        array[offset] = byte
    }

    /// Inserts a byte at an offset.
    package func insert(_ byte: UInt8, at offset: Int) {
        precondition(offset <= count)
        array.reserve(1)
        let start = unsafe array.start + offset
        unsafe (start + 1).update(from: start, count: count &- offset)
        unsafe start.pointee = byte
        array.extend(by: 1)
    }

    // MARK: Bytes

    @inlinable @inline(__always)
    package func appendByte(_ byte: UInt8) { array.append(byte) }

    package func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        array.reserve(bytes.count)
        unsafe (array.start + count).update(from: source, count: bytes.count)
        array.extend(by: bytes.count)
    }

    /// Appends bytes that at least 15 readable bytes follow.
    @inlinable @inline(__always)
    package func append(padded start: UnsafePointer<UInt8>, _ length: Int) {
        array.reserve(length &+ 16)
        let target = unsafe UnsafeMutableRawPointer(array.start + count)
        var position = 0
        while position < length {
            let lanes = unsafe UnsafeRawPointer(start).loadUnaligned(
                fromByteOffset: position, as: SIMD16<UInt8>.self)
            unsafe target.storeBytes(of: lanes, toByteOffset: position, as: SIMD16<UInt8>.self)
            position &+= 16
        }
        array.extend(by: length)
    }

    /// Appends ASCII without escaping it.
    @inline(__always)
    package func append(_ literal: StaticString) {
        unsafe append(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends text without escaping it.
    package func appendPlain(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    /// Appends a part of another text.
    func append(_ other: JSONTextBuffer, _ range: Range<Int>) {
        unsafe append(UnsafeBufferPointer(rebasing: other.array.elements[range]))
    }

    /// Returns a hash of the bytes from an offset on.
    @inline(__always)
    func hash(from offset: Int) -> UInt32 {
        array.reserve(8)
        return unsafe keyHash(array.start + offset, count &- offset)
    }

    /// Returns the text as an array, and frees the memory.
    func takeArray() -> [UInt8] {
        let copy = bytes(from: 0)
        free()
        return copy
    }

    /// Returns a document of the text, which must be valid, and transfers the memory to it.
    package func document() throws(DocumentError) -> Document {
        array.reserve(DocumentStorage.padding)
        let count = count
        return try unsafe Document(
            adopting: array.takeElements(), byteCount: count, limits: .none)
    }

    // MARK: Values

    /// Appends a JSON string: quoted, and escaped where necessary.
    @inline(__always)
    package func appendQuoted(_ text: String) {
        var text = text
        text.withUTF8 { unsafe appendQuoted($0) }
    }

    private func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
        array.reserve(bytes.count &+ 2)
        let out = unsafe array.start + count
        unsafe out[0] = UInt8(ascii: "\"")
        guard unsafe copyPlain(bytes, to: out + 1) else {
            unsafe appendEscaped(bytes)
            return
        }
        unsafe out[bytes.count &+ 1] = UInt8(ascii: "\"")
        array.extend(by: bytes.count &+ 2)
    }

    @inline(never)
    private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An escape has at most six bytes.
        array.reserve(bytes.count * 6 + 2)
        let out = unsafe array.start + count
        unsafe out.pointee = UInt8(ascii: "\"")
        let end = unsafe writeEscaped(bytes, to: out + 1)
        unsafe end.pointee = UInt8(ascii: "\"")
        unsafe array.extend(by: end - out + 1)
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

    /// Appends an integer.
    package func append(whole value: Int64) {
        append(magnitude: value.magnitude, isNegative: value < 0)
    }

    private func append(magnitude: UInt64, isNegative: Bool) {
        array.reserve(21)
        if isNegative { array.append(UInt8(ascii: "-")) }
        let length = digitCount(magnitude)
        unsafe writeDigits(magnitude, length, to: array.start + count)
        array.extend(by: length)
    }

    /// Appends a number whose last digits, at most 19, are a fraction.
    ///
    /// Trailing zeros of the fraction are omitted.
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
        array.append(UInt8(ascii: "."))
        array.reserve(fractionDigits)
        unsafe writeDigits(digits % scale, fractionDigits, to: array.start + count)
        array.extend(by: fractionDigits)
    }

    /// Appends a moment in the format of ``CivilDate/iso8601(fractionDigits:offset:)``.
    package func append(_ moment: CivilDate, fractionDigits: Int, offset: Int) {
        array.reserve(CivilDate.longestText)
        array.extend(
            by: unsafe moment.write(
                fractionDigits: fractionDigits, offset: offset, to: array.start + count))
    }

    /// Appends a number with the fewest digits that read back as the same double.
    package func append(_ value: Double) { appendPlain(value.description) }

    /// Appends a number with the fewest digits that read back as the same float.
    package func append(_ value: Float) { appendPlain(value.description) }
}
