// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Makes room for nodes.
func allocateNodes(_ capacity: Int) -> UnsafeMutablePointer<TapeNode> {
    unsafe reallocateNodes(nil, capacity)
}

/// Makes the room for nodes larger or smaller; running out of memory traps.
@inline(never)
func reallocateNodes(
    _ nodes: UnsafeMutablePointer<TapeNode>?, _ capacity: Int
) -> UnsafeMutablePointer<TapeNode> {
    let size = capacity * MemoryLayout<TapeNode>.stride
    guard let room = unsafe realloc(UnsafeMutableRawPointer(nodes), size) else {
        preconditionFailure("out of memory for a document of \(capacity) nodes")
    }
    return unsafe room.bindMemory(to: TapeNode.self, capacity: capacity)
}

/// A place in a text at which the parser's loop can begin, if it left nodes for what is before.
struct ParsePoint {
    /// Offset of a key, of an element, or of what follows a value.
    var place = 0
    /// Offset of what was not complete.
    var token = 0
    /// Nodes on the tape.
    var count = 0
    /// The innermost open container, or -1.
    var container = -1
    /// Its members that are complete.
    var members = 0
    /// How many containers are open.
    var depth = 0
    /// Whether a value is complete whose comma or bracket has to come.
    var isAfterValue = false

    /// The beginning of the text.
    static let beginning = ParsePoint()
}

/// What the parser's loop leaves behind, finished or not.
///
/// Invariant: `nodes` is room for `capacity` nodes, the first `count` of which are filled; who is
/// handed this frees it or passes it on. `container`, and the containers around it that open nodes
/// lead to, are -1 or below `count`. `place` is at most that of the first zero of the padding.
@safe
struct ParsedTape {
    let nodes: UnsafeMutablePointer<TapeNode>
    let count: Int
    let capacity: Int
    var fault: ParseFault
    /// Offset where the loop stopped.
    let place: Int
    /// Offset of the text or number it stopped in, else the same.
    let tokenPlace: Int
    /// Whether it stopped in a key, or at the place of one, or before the colon behind it.
    let isAtKey: Bool
    /// The innermost open container, or -1.
    let container: Int
    /// Its members so far, the one being read included.
    let members: Int
    /// How many containers are open.
    let depth: Int
    let limits: ParseLimits

    /// Where the loop can go on when more of the text has arrived, if that may mend the fault.
    ///
    /// - Parameters:
    ///   - bytes: The text so far.
    ///   - byteCount: Its byte count.
    /// - Returns: The place, and how far the nodes hold.
    func point(in bytes: UnsafePointer<UInt8>, count byteCount: Int) -> ParsePoint {
        var point = ParsePoint(
            place: tokenPlace, token: tokenPlace, count: count, container: container,
            members: members, depth: depth)
        switch fault {
        case .separator, .members:
            guard unsafe isInNumber(bytes, count: byteCount) else {
                point.isAfterValue = true
                return point
            }
            point.count -= 1
            point.place = unsafe nodes[point.count].offset
            point.token = point.place
        case .key, .value:
            let isFirst = members == 1 && container >= 0 && isAtKey == isInObject
            guard isFirst, place == byteCount else { break }
            // The container may turn out to be empty, so it is begun again.
            point.place = unsafe nodes[container].offset
            point.count = container
            (_, point.container, point.members, _) = step(from: container)
            point.members += 1
            point.depth -= 1
        case .colon:
            point.count -= 1
        case .none, .trailing, .number, .control, .escape, .surrogate, .depth, .stringLength,
            .nodes:
            break
        }
        point.members -= 1
        let isMember = unsafe point.container >= 0 && nodes[point.container].kind == .object
        if isMember, !isAtKey || point.count == container {
            // Members are read from their key on.
            point.count -= 1
            point.place = unsafe nodes[point.count].offset - 1
        }
        return point
    }

    /// Whether the text ends with a number, which may go on.
    private func isInNumber(_ bytes: UnsafePointer<UInt8>, count byteCount: Int) -> Bool {
        guard place == byteCount, unsafe nodes[count - 1].kind.isNumber else { return false }
        let last = unsafe bytes[byteCount - 1]
        return last > 0x20 && last | 0x20 != UInt8(ascii: "}")
    }

    /// The nodes, without most of the room that was reserved in vain.
    ///
    /// Room of a size that the allocator may get from the kernel, and may keep when it is given
    /// back, stays as it is where a quarter of it was used. glibc keeps room as large as what was
    /// given back to it: after room that had been made smaller it would ask the kernel for every
    /// tape, and the kernel hands out each page by a fault. Pages that were never written to are no
    /// memory yet.
    func fittedNodes() -> UnsafeMutablePointer<TapeNode> {
        let isKept = Self.keptByteCounts.contains(capacity * MemoryLayout<TapeNode>.stride)
        let waste = isKept ? count * 3 : count / 8
        guard capacity - count > max(waste, 64) else { return unsafe nodes }
        return unsafe reallocateNodes(nodes, count)
    }

    /// From where on glibc asks the kernel for room, to where it never keeps it (`mallopt(3)`,
    /// `M_MMAP_THRESHOLD`).
    private static let keptByteCounts = 128 << 10..<32 << 20

    /// The fault in words.
    func error(in bytes: UnsafePointer<UInt8>, count byteCount: Int) -> DocumentError {
        let isAtEnd = place >= byteCount
        let (code, expected) = fault.explained(
            at: unsafe bytes[place], isInObject: isInObject, limits: limits)
        let (line, column) = unsafe lineAndColumn(of: place, in: bytes)
        let isUnfinished = isAtEnd && code != .limitExceeded
        return DocumentError(
            isUnfinished ? .unexpectedEnd : code, offset: place, line: line, column: column,
            path: unsafe path(in: bytes), expected: expected)
    }

    private var isInObject: Bool { unsafe container >= 0 && nodes[container].kind == .object }

    /// The way to the value the loop was at, from the chain of open containers.
    private func path(in bytes: UnsafePointer<UInt8>) -> DocumentPath {
        var components: [DocumentPath.Component] = []
        var (child, parent, position) = (count, container, members - 1)
        // A key that was not finished is not on the tape, nor is a member before its key.
        var hasKey = isInObject && count > parent + 1 && count > 0 && isKey(count - 1)
        if fault == .members { (child, parent, position, hasKey) = step(from: parent) }
        // Only the outermost components are kept, so those inside them are not made at all.
        var inner = depth(of: parent) - 512
        while parent >= 0 {
            if inner <= 0 {
                if unsafe nodes[parent].kind == .array {
                    components.append(.index(max(position, 0)))
                } else if hasKey {
                    let key = unsafe NodeView(
                        bytes: bytes, nodes: UnsafePointer(nodes), index: child - 1)
                    components.append(.key(key.string() ?? ""))
                }
            }
            inner -= 1
            (child, parent, position, hasKey) = step(from: parent)
        }
        components.reverse()
        return DocumentPath(components)
    }

    /// Open containers around the content of one, itself included.
    private func depth(of container: Int) -> Int {
        var depth = 0
        var container = container
        while container >= 0 {
            depth += 1
            container = step(from: container).parent
        }
        return depth
    }

    private func step(from open: Int) -> (child: Int, parent: Int, position: Int, hasKey: Bool) {
        guard open >= 0 else { return (open, -1, 0, false) }
        let saved = unsafe nodes[open].payload
        return (
            open, Int(truncatingIfNeeded: saved >> 32) - 1,
            Int(truncatingIfNeeded: saved & 0xFFFF_FFFF) - 1, true
        )
    }

    /// Whether the last node of the tape is the key of the member being read.
    private func isKey(_ last: Int) -> Bool {
        switch fault {
        case .key, .separator, .members: return false
        case .control, .escape, .surrogate, .stringLength, .colon, .nodes, .value, .number, .depth,
            .none, .trailing:
            break
        }
        // Walk the container: with every finished member there are two nodes or more.
        var index = container + 1
        while index < last {
            index += 1
            let value = unsafe nodes[index]
            index = value.kind.isContainer ? value.contentEnd : index + 1
        }
        return index == last
    }
}

/// Line and column of an offset, both counted from 1, in bytes.
func lineAndColumn(
    of offset: Int, in bytes: UnsafePointer<UInt8>
) -> (line: Int, column: Int) {
    var line = 1
    var lineStart = 0
    for position in 0..<offset where unsafe bytes[position] == 0x0A {
        line += 1
        lineStart = position + 1
    }
    return (line, offset - lineStart + 1)
}
