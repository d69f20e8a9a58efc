// SPDX-License-Identifier: Apache-2.0

extension Node {
    /// Returns the JSON text of the value without white space.
    ///
    /// It is never longer than the parsed text, so its memory is allocated once.
    func compactBytes() -> [UInt8] {
        withView { root in
            let next = root.nextIndex
            // The offset of a string is after its quote; one or two surplus bytes are harmless.
            let start = root.tapeNode.offset - (root.kind.isString ? 1 : 0)
            let end = next < storage.nodeCount ? root.at(next).tapeNode.offset : storage.byteCount
            let capacity = end - start + 16
            return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                guard let start = buffer.baseAddress else { return }
                count = unsafe writeCompact(root, to: start)
            }
        }
    }
}

/// Writes a value with its content.
///
/// Invariant: the tape is in the order of the text, and no output is longer than its input, so
/// `out` never exceeds the capacity for the text. A copy writes at most 15 surplus bytes, for which
/// 16 bytes are reserved, and reads surplus bytes from the document's padding.
///
/// - Parameters:
///   - root: The value.
///   - start: Memory for the text and 16 bytes more, because copies are made 16 bytes at a time.
/// - Returns: The number of bytes of the text.
private func writeCompact(_ root: NodeView, to start: UnsafeMutablePointer<UInt8>) -> Int {
    var out = unsafe start
    let rootEnd = root.nextIndex
    var index = root.index
    // The ends of the open containers around the innermost one; those of objects as the complement.
    var outer: [Int] = []
    var end = Int.max
    var isObject = false
    while index < rootEnd {
        if isObject {
            unsafe out = putText(root.at(index), out)
            unsafe out.pointee = UInt8(ascii: ":")
            unsafe out += 1
            index &+= 1
        }
        let value = root.at(index)
        index &+= 1
        switch value.kind {
        case .string, .escapedString:
            unsafe out = putText(value, out)
        case .array, .object:
            let isInner = value.kind == .object
            unsafe out.pointee = UInt8(ascii: isInner ? "{" : "[")
            unsafe out += 1
            guard value.contentEnd > index else {
                unsafe out.pointee = UInt8(ascii: isInner ? "}" : "]")
                unsafe out += 1
                break
            }
            outer.append(isObject ? ~end : end)
            end = value.contentEnd
            isObject = isInner
            continue
        case .null:
            unsafe out = put(0x6C6C_756E, 4, out)
        case .true:
            unsafe out = put(0x6575_7274, 4, out)
        case .false:
            unsafe out = put(0x65_736C_6166, 5, out)
        default:
            let text = unsafe value.numberBytes
            unsafe out = put(value.contentPointer, text.count, out)
        }
        while index == end {
            unsafe out.pointee = UInt8(ascii: isObject ? "}" : "]")
            unsafe out += 1
            let around = outer.removeLast()
            isObject = around < 0
            end = isObject ? ~around : around
        }
        if index < rootEnd {
            unsafe out.pointee = UInt8(ascii: ",")
            unsafe out += 1
        }
    }
    return unsafe out - start
}

@inline(__always)
private func putText(
    _ value: NodeView, _ out: UnsafeMutablePointer<UInt8>
) -> UnsafeMutablePointer<UInt8> {
    unsafe out.pointee = UInt8(ascii: "\"")
    let end = unsafe put(value.contentPointer, value.contentLength, out + 1)
    unsafe end.pointee = UInt8(ascii: "\"")
    return unsafe end + 1
}

/// Copies bytes 16 at a time.
///
/// Both sides have space up to the next multiple of 16.
@inline(__always)
private func put(
    _ source: UnsafePointer<UInt8>, _ count: Int, _ out: UnsafeMutablePointer<UInt8>
) -> UnsafeMutablePointer<UInt8> {
    if count > 64 {
        unsafe out.update(from: source, count: count)
        return unsafe out + count
    }
    var position = 0
    repeat {
        let lanes = unsafe UnsafeRawPointer(source + position).loadUnaligned(
            as: SIMD16<UInt8>.self)
        unsafe UnsafeMutableRawPointer(out + position).storeBytes(
            of: lanes, as: SIMD16<UInt8>.self)
        position &+= 16
    } while position < count
    return unsafe out + count
}

@inline(__always)
private func put(
    _ word: UInt64, _ count: Int, _ out: UnsafeMutablePointer<UInt8>
) -> UnsafeMutablePointer<UInt8> {
    unsafe UnsafeMutableRawPointer(out).storeBytes(of: word.littleEndian, as: UInt64.self)
    return unsafe out + count
}
