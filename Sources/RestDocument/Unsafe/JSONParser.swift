// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259) onto a tape in one pass, without recursion.
///
/// An open container's node remembers what its end must bring back: the container around it and
/// how many members that one had so far. So no stack is kept and depth costs nothing.
///
/// Invariant: the caller keeps the text alive during the call. No token goes on over a zero, so `p`
/// stops at the first one of the padding at the latest, and loads reach 16 bytes behind it at most.
/// At the beginning of an item `used + 2` is `capacity` at most, and an item writes two nodes at
/// most; `container` is -1 or below `used`.
enum JSONParser {
    /// The loop: everything it touches is a local value.
    ///
    /// - Parameters:
    ///   - start: The text, with its padding.
    ///   - count: Its byte count.
    ///   - limits: What the document may grow to.
    ///   - outerDepth: How many containers are open around the text.
    ///   - point: Where to go on, after less of the same text was read onto the same nodes.
    ///   - room: Where nodes go; another room replaces it when it is too small.
    ///   - roomCapacity: Two nodes or more, at most ``ParseLimits/tapeCapacity``.
    /// - Returns: What was read. A text that begins with a value ends in ``ParseFault/trailing`` at
    ///   what comes after, white space left out.
    static func scan(
        _ start: UnsafePointer<UInt8>, count: Int, limits: ParseLimits, outerDepth: Int = 0,
        from point: ParsePoint = .beginning, onto room: UnsafeMutablePointer<TapeNode>,
        capacity roomCapacity: Int
    ) -> ParsedTape {
        let end = unsafe start + count
        let powers = unsafe DecimalPowers.shared.words
        let depthLimit = limits.depth - outerDepth
        let stringLimit = limits.stringByteCount
        let memberLimit = limits.memberCount
        let nodeLimit = limits.tapeCapacity - 2
        var nodes = unsafe room

        var p = unsafe skippingSpace(start + point.place)
        var used = point.count
        var container = point.container
        var close = unsafe closingByte(of: container, on: nodes)
        var members = point.members
        var depth = point.depth
        var fault = ParseFault.none
        // Where the key, text or number begins that is at fault.
        var token: UnsafePointer<UInt8>?
        var isAtKey = false

        // Without capacity the loop looks for more at once, and goes on after the value instead.
        var isAfterValue = point.isAfterValue
        var capacity = isAfterValue ? 0 : roomCapacity

        parse: while true {
            item: do {
                // `p` is at a key or at an element.
                if used &+ 2 > capacity {
                    if isAfterValue {
                        isAfterValue = false
                        capacity = roomCapacity
                        break item
                    }
                    guard used <= nodeLimit else {
                        fault = .nodes
                        break parse
                    }
                    capacity = min(capacity &* 2, nodeLimit &+ 2)
                    unsafe nodes = reallocateNodes(nodes, capacity)
                }
                members &+= 1
                if close == UInt8(ascii: "}") {
                    guard unsafe p.pointee == UInt8(ascii: "\"") else {
                        fault = .key
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
                        unsafe p = text.place
                        fault = text.fault
                        head = head &+ 1
                    }
                    let length = unsafe p - content
                    guard length <= stringLimit, fault == .none else {
                        if length > stringLimit {
                            fault = .stringLength
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
                            fault = .colon
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
                        unsafe p = text.place
                        fault = text.fault
                        head = head &+ 1
                    }
                    let length = unsafe p - content
                    guard length <= stringLimit, fault == .none else {
                        if length > stringLimit {
                            fault = .stringLength
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
                        fault = .number
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
                        let number = unsafe readNumber(
                            first, digits: digits, from: p, whole: value, powers: powers)
                        unsafe p = number.end
                        kind = number.kind
                        value = number.payload
                        guard kind != .null else {
                            fault = .number
                            unsafe token = first
                            break parse
                        }
                    } else if isNegative {
                        value = 0 &- value
                    }
                    // A digit here follows a leading zero.
                    guard unsafe p.pointee &- 0x30 > 9 else {
                        fault = .number
                        unsafe token = first
                        break parse
                    }
                    let length = unsafe UInt64(truncatingIfNeeded: min(p - first, 0xFFFF))
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(kind.rawValue) | length &<< 8 | offset, payload: value)

                case UInt8(ascii: "{"):
                    depth &+= 1
                    guard depth <= depthLimit else {
                        fault = .depth
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
                        fault = .depth
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
                        fault = .value
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.true.rawValue) | offset, payload: 0)
                    unsafe p += 4

                case UInt8(ascii: "f"):
                    guard unsafe fourBytes(p + 1) == 0x6573_6C61 else {
                        fault = .value
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.false.rawValue) | offset, payload: 0)
                    unsafe p += 5

                case UInt8(ascii: "n"):
                    guard unsafe fourBytes(p) == 0x6C6C_756E else {
                        fault = .value
                        break parse
                    }
                    unsafe nodes[used] = TapeNode(
                        head: UInt64(TapeKind.null.rawValue) | offset, payload: 0)
                    unsafe p += 4

                default:
                    fault = .value
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
                    fault = close == 0 ? .trailing : .separator
                    break parse
                }
                if close == 0 {
                    if unsafe p != end { fault = .trailing }
                    break parse
                }
                guard members <= memberLimit || close == UInt8(ascii: "]") else {
                    fault = .members
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
        if fault == .none, used > nodeLimit { fault = .nodes }
        return unsafe ParsedTape(
            nodes: nodes, count: used, capacity: capacity, fault: fault, place: p - start,
            tokenPlace: (token ?? p) - start, isAtKey: isAtKey, container: container,
            members: members, depth: depth, limits: limits)
    }

    /// What ends the container at an index, 0 for no container.
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
