// SPDX-License-Identifier: Apache-2.0

/// A JSON parser (RFC 8259) that writes a tape in one pass, without recursion.
///
/// The node of an open container stores the state of the enclosing container: its index and its
/// number of members so far. Therefore the parser has no stack, and its memory does not depend on
/// the depth.
///
/// Invariant: the caller keeps the text alive during the call. No token continues past a zero, so
/// `p` stops at the first padding byte at the latest, and loads reach at most 16 bytes beyond it.
/// At the beginning of an item, `used + 2` is at most `capacity`, and an item writes at most two
/// nodes. `container` is -1 or less than `used`.
enum JSONParser {
    /// Parses text until it ends or a failure occurs.
    ///
    /// All state of the loop is in local variables.
    ///
    /// - Parameters:
    ///   - start: The text with its padding.
    ///   - count: The number of bytes of the text.
    ///   - limits: The limits for the document.
    ///   - outerDepth: The number of open containers around the text.
    ///   - checkpoint: The position at which to resume, after a shorter part of the text was parsed
    ///     onto the same nodes.
    ///   - initialNodes: The memory for nodes. It is reallocated if it is too small.
    ///   - initialCapacity: The number of nodes that the memory has space for: at least 2, at most
    ///     ``ParseLimits/tapeCapacity``.
    /// - Returns: The tape. If something follows the value, the failure is
    ///   ``ParseFailure/trailing`` at that position, after white space.
    static func scan(
        _ start: UnsafePointer<UInt8>, count: Int, limits: ParseLimits, outerDepth: Int = 0,
        from checkpoint: ParseCheckpoint = .beginning,
        onto initialNodes: UnsafeMutablePointer<TapeNode>,
        capacity initialCapacity: Int
    ) -> ParsedTape {
        let end = unsafe start + count
        let powers = unsafe DecimalPowers.shared.words
        let depthLimit = limits.depth - outerDepth
        let stringLimit = limits.stringByteCount
        let memberLimit = limits.memberCount
        let nodeLimit = limits.tapeCapacity - 2
        var nodes = unsafe initialNodes

        var p = unsafe skippingSpace(start + checkpoint.offset)
        var used = checkpoint.count
        var container = checkpoint.container
        var close = unsafe closingByte(of: container, on: nodes)
        var members = checkpoint.members
        var depth = checkpoint.depth
        var failure = ParseFailure.none
        // The beginning of the key, string or number with the failure.
        var token: UnsafePointer<UInt8>?
        var isAtKey = false

        // A capacity of 0 leads to the growth branch, which then resumes after the value instead of
        // growing.
        var isAfterValue = checkpoint.isAfterValue
        var capacity = isAfterValue ? 0 : initialCapacity

        parse: while true {
            item: do {
                // `p` is at a key or an element.
                if used &+ 2 > capacity {
                    if isAfterValue {
                        isAfterValue = false
                        capacity = initialCapacity
                        break item
                    }
                    guard used <= nodeLimit else {
                        failure = .nodes
                        break parse
                    }
                    capacity = min(capacity &* 2, nodeLimit &+ 2)
                    unsafe nodes = reallocateNodes(nodes, capacity)
                }
                members &+= 1
                if close == UInt8(ascii: "}") {
                    guard unsafe p.pointee == UInt8(ascii: "\"") else {
                        failure = .key
                        isAtKey = true
                        break parse
                    }
                    let content = unsafe p + 1
                    var head =
                        unsafe UInt64(TapeKind.string.rawValue)
                        | UInt64(truncatingIfNeeded: content - start) &<< 24
                    unsafe p = endOfPlainText(content)
                    if unsafe p.pointee != UInt8(ascii: "\"") {
                        let text = unsafe endOfEscapedText(p)
                        unsafe p = text.end
                        failure = text.failure
                        head = head &+ 1
                    }
                    let length = unsafe p - content
                    guard length <= stringLimit, failure == .none else {
                        if length > stringLimit {
                            failure = .stringLength
                            unsafe p = content + stringLimit
                        }
                        isAtKey = true
                        unsafe token = content - 1
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: head, payload: UInt64(truncatingIfNeeded: length))
                    used &+= 1
                    unsafe p += 1
                    if unsafe p.pointee != UInt8(ascii: ":") {
                        unsafe p = skippingSpace(p)
                        guard unsafe p.pointee == UInt8(ascii: ":") else {
                            failure = .colon
                            isAtKey = true
                            unsafe token = content - 1
                            break parse
                        }
                    }
                    unsafe p = skippingSpace(p + 1)
                }
                let offset = unsafe UInt64(truncatingIfNeeded: p - start) &<< 24
                switch unsafe p.pointee {
                case UInt8(ascii: "\""):
                    let content = unsafe p + 1
                    var head = (UInt64(TapeKind.string.rawValue) | offset) &+ 1 &<< 24
                    unsafe p = endOfPlainText(content)
                    if unsafe p.pointee != UInt8(ascii: "\"") {
                        let text = unsafe endOfEscapedText(p)
                        unsafe p = text.end
                        failure = text.failure
                        head = head &+ 1
                    }
                    let length = unsafe p - content
                    guard length <= stringLimit, failure == .none else {
                        if length > stringLimit {
                            failure = .stringLength
                            unsafe p = content + stringLimit
                        }
                        unsafe token = content - 1
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: head, payload: UInt64(truncatingIfNeeded: length))
                    unsafe p += 1

                case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    let first = unsafe p
                    let isNegative = unsafe p.pointee == UInt8(ascii: "-")
                    unsafe p += isNegative ? 1 : 0
                    let digits = unsafe p
                    var digit = unsafe p.pointee &- 0x30
                    var value = UInt64(digit)
                    guard digit < 10 else {
                        failure = .number
                        unsafe token = first
                        break parse
                    }
                    unsafe p += 1
                    if digit != 0 {
                        while true {
                            digit = unsafe p.pointee &- 0x30
                            guard digit < 10 else { break }
                            value = value &* 10 &+ UInt64(digit)
                            unsafe p += 1
                        }
                    }
                    let next = unsafe p.pointee
                    let digitCount = unsafe p - digits
                    var kind = TapeKind.integer
                    if next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e")
                        || digitCount > 18 || (value == 0 && isNegative)
                    {
                        let number = unsafe parseNumber(
                            first, digits: digits, from: p, integerPart: value, powers: powers)
                        unsafe p = number.end
                        kind = number.kind
                        value = number.payload
                        guard kind != .null else {
                            failure = .number
                            unsafe token = first
                            break parse
                        }
                    } else if isNegative {
                        value = 0 &- value
                    }
                    // A digit at this position follows a leading zero.
                    guard unsafe p.pointee &- 0x30 > 9 else {
                        failure = .number
                        unsafe token = first
                        break parse
                    }
                    let length = unsafe UInt64(truncatingIfNeeded: min(p - first, 0xFFFF))
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(kind.rawValue) | length &<< 8 | offset, payload: value)

                case UInt8(ascii: "{"):
                    depth &+= 1
                    guard depth <= depthLimit else {
                        failure = .depth
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.object.rawValue) | offset,
                        payload: UInt64(truncatingIfNeeded: container &+ 1) &<< 32
                            | UInt64(truncatingIfNeeded: members))
                    container = used
                    used &+= 1
                    members = 0
                    close = UInt8(ascii: "}")
                    unsafe p = skippingSpace(p + 1)
                    if unsafe p.pointee != close { continue parse }
                    used &-= 1

                case UInt8(ascii: "["):
                    depth &+= 1
                    guard depth <= depthLimit else {
                        failure = .depth
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.array.rawValue) | offset,
                        payload: UInt64(truncatingIfNeeded: container &+ 1) &<< 32
                            | UInt64(truncatingIfNeeded: members))
                    container = used
                    used &+= 1
                    members = 0
                    close = UInt8(ascii: "]")
                    unsafe p = skippingSpace(p + 1)
                    if unsafe p.pointee != close { continue parse }
                    used &-= 1

                case UInt8(ascii: "t"):
                    guard unsafe fourBytes(p) == 0x6575_7274 else {
                        failure = .value
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.true.rawValue) | offset, payload: 0)
                    unsafe p += 4

                case UInt8(ascii: "f"):
                    guard unsafe fourBytes(p + 1) == 0x6573_6C61 else {
                        failure = .value
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.false.rawValue) | offset, payload: 0)
                    unsafe p += 5

                case UInt8(ascii: "n"):
                    guard unsafe fourBytes(p) == 0x6C6C_756E else {
                        failure = .value
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.null.rawValue) | offset, payload: 0)
                    unsafe p += 4

                default:
                    failure = .value
                    break parse
                }
                used &+= 1
            }

            // `p` is after a value, or at the end of an empty container.
            while true {
                unsafe p = skippingSpace(p)
                let byte = unsafe p.pointee
                if byte == UInt8(ascii: ","), close != 0 {
                    unsafe p = skippingSpace(p + 1)
                    continue parse
                }
                guard byte == close else {
                    failure = close == 0 ? .trailing : .separator
                    break parse
                }
                if close == 0 {
                    if unsafe p != end { failure = .trailing }
                    break parse
                }
                guard members <= memberLimit || close == UInt8(ascii: "]") else {
                    failure = .members
                    break parse
                }
                let saved = unsafe nodes[container].payload
                unsafe nodes[container].payload =
                    UInt64(truncatingIfNeeded: used) &<< 32 | UInt64(truncatingIfNeeded: members)
                members = Int(truncatingIfNeeded: saved & 0xFFFF_FFFF)
                container = Int(truncatingIfNeeded: saved >> 32) &- 1
                depth &-= 1
                close = unsafe closingByte(of: container, on: nodes)
                unsafe p += 1
            }
        }
        if failure == .none, used > nodeLimit { failure = .nodes }
        return unsafe ParsedTape(
            nodes: nodes, count: used, capacity: capacity, failure: failure, offset: p - start,
            tokenOffset: (token ?? p) - start, isAtKey: isAtKey, container: container,
            members: members, depth: depth, limits: limits)
    }

    /// Returns the closing bracket of the container at an index; 0 for no container.
    @inline(__always)
    private static func closingByte(
        of container: Int, on nodes: UnsafeMutablePointer<TapeNode>
    ) -> UInt8 {
        guard container >= 0 else { return 0 }
        return unsafe nodes[container].kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    @inline(__always)
    private static func fourBytes(_ p: UnsafePointer<UInt8>) -> UInt32 {
        unsafe UInt32(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt32.self))
    }
}
