// SPDX-License-Identifier: Apache-2.0

/// The result of the parser's loop, complete or not.
///
/// Invariant: `nodes` has space for `capacity` nodes, of which the first `count` are initialized.
/// The receiver frees it or transfers ownership. `container`, and the enclosing containers that
/// open nodes refer to, are -1 or less than `count`. `offset` is at most the offset of the first
/// padding byte.
@safe
struct ParsedTape {
    let nodes: UnsafeMutablePointer<TapeNode>
    let count: Int
    let capacity: Int
    var failure: ParseFailure
    /// The offset at which the loop stopped.
    let offset: Int
    /// The offset of the string or number in which the loop stopped; otherwise `offset`.
    let tokenOffset: Int
    /// A Boolean value that indicates whether the loop stopped in or at a key, or before its colon.
    let isAtKey: Bool
    /// The index of the innermost open container; -1 for none.
    let container: Int
    /// The number of its members so far, including the current one.
    let members: Int
    /// The number of open containers.
    let depth: Int
    let limits: ParseLimits

    /// Returns the position at which parsing can resume when more text has arrived.
    ///
    /// - Parameters:
    ///   - bytes: The text so far.
    ///   - byteCount: The number of bytes of the text.
    /// - Returns: The position, and the number of nodes that remain valid.
    func checkpoint(in bytes: UnsafePointer<UInt8>, count byteCount: Int) -> ParseCheckpoint {
        var checkpoint = ParseCheckpoint(
            offset: tokenOffset, tokenOffset: tokenOffset, count: count, container: container,
            members: members, depth: depth)
        switch failure {
        case .separator, .members:
            guard unsafe isInNumber(bytes, count: byteCount) else {
                checkpoint.isAfterValue = true
                return checkpoint
            }
            checkpoint.count -= 1
            checkpoint.offset = unsafe nodes[checkpoint.count].offset
            checkpoint.tokenOffset = checkpoint.offset
        case .key, .value:
            let isFirst = members == 1 && container >= 0 && isAtKey == isInObject
            guard isFirst, offset == byteCount else { break }
            // The container may be empty, so parsing resumes at its bracket.
            checkpoint.offset = unsafe nodes[container].offset
            checkpoint.count = container
            (_, checkpoint.container, checkpoint.members, _) = step(from: container)
            checkpoint.members += 1
            checkpoint.depth -= 1
        case .colon:
            checkpoint.count -= 1
        case .none, .trailing, .number, .control, .escape, .surrogate, .depth, .stringLength,
            .nodes:
            break
        }
        checkpoint.members -= 1
        let isMember =
            unsafe checkpoint.container >= 0 && nodes[checkpoint.container].kind == .object
        if isMember, !isAtKey || checkpoint.count == container {
            // Parsing resumes at the key of a member.
            checkpoint.count -= 1
            checkpoint.offset = unsafe nodes[checkpoint.count].offset - 1
        }
        return checkpoint
    }

    /// Returns a Boolean value that indicates whether the text ends in a number, which may
    /// continue.
    private func isInNumber(_ bytes: UnsafePointer<UInt8>, count byteCount: Int) -> Bool {
        guard offset == byteCount, unsafe nodes[count - 1].kind.isNumber else { return false }
        let last = unsafe bytes[byteCount - 1]
        return last > 0x20 && last | 0x20 != UInt8(ascii: "}")
    }

    /// Returns the nodes in memory from which most of the unused capacity has been released.
    ///
    /// Memory of a size that the allocator may obtain from the kernel, and may retain when it is
    /// freed, is not shrunk if at least a quarter of it is used. glibc adapts its threshold to the
    /// size of freed memory: if tapes were shrunk before being freed, it would request memory from
    /// the kernel for every tape, and the kernel provides each page by a page fault. Pages that
    /// were never written to occupy no memory.
    func shrunkNodes() -> UnsafeMutablePointer<TapeNode> {
        let isKept = Self.keptByteCounts.contains(capacity * MemoryLayout<TapeNode>.stride)
        let waste = isKept ? count * 3 : count / 8
        guard capacity - count > max(waste, 64) else { return unsafe nodes }
        return unsafe reallocateNodes(nodes, count)
    }

    /// The range from the size at which glibc requests memory from the kernel up to the size that
    /// it never retains (`mallopt(3)`, `M_MMAP_THRESHOLD`).
    private static let keptByteCounts = 128 << 10..<32 << 20

    /// Returns the error for the failure.
    func error(in bytes: UnsafePointer<UInt8>, count byteCount: Int) -> DocumentError {
        let isAtEnd = offset >= byteCount
        let (code, expected) = failure.diagnosis(
            at: unsafe bytes[offset], isInObject: isInObject, limits: limits)
        let (line, column) = unsafe lineAndColumn(of: offset, in: bytes)
        let isUnfinished = isAtEnd && code != .limitExceeded
        return DocumentError(
            isUnfinished ? .unexpectedEnd : code, offset: offset, line: line, column: column,
            path: unsafe path(in: bytes), expected: expected)
    }

    private var isInObject: Bool { unsafe container >= 0 && nodes[container].kind == .object }

    /// Returns the path of the current value, from the chain of open containers.
    private func path(in bytes: UnsafePointer<UInt8>) -> DocumentPath {
        var components: [DocumentPath.Component] = []
        var (child, parent, position) = (count, container, members - 1)
        // The tape contains neither an unfinished key nor a member without its key.
        var hasKey = isInObject && count > parent + 1 && count > 0 && isKey(count - 1)
        if failure == .members { (child, parent, position, hasKey) = step(from: parent) }
        // Only the outermost components are kept, so inner ones are not created.
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

    /// Returns the number of open containers down to the given one, inclusive.
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

    /// Returns a Boolean value that indicates whether the last node is the key of the current
    /// member.
    private func isKey(_ last: Int) -> Bool {
        switch failure {
        case .key, .separator, .members: return false
        case .control, .escape, .surrogate, .stringLength, .colon, .nodes, .value, .number, .depth,
            .none, .trailing:
            break
        }
        // Iterate over the container: each finished member has at least two nodes.
        var index = container + 1
        while index < last {
            index += 1
            let value = unsafe nodes[index]
            index = value.kind.isContainer ? value.contentEnd : index + 1
        }
        return index == last
    }
}
