// SPDX-License-Identifier: Apache-2.0

/// The state that all decoders and containers of one `decode` call share.
///
/// They hold it strongly, so a type may keep its decoder and use it later.
///
/// Invariant: `root` views `storage`, which this class retains. `levels` and `types` are allocated
/// in `init`, replaced only in `grow`, and deallocated in `deinit`; no pointer to either is kept
/// elsewhere.
@safe
final class DecodingSession {
    let decoder: DocumentDecoder
    let storage: DocumentStorage
    let root: NodeView
    /// The conversion of keys; `nil` if keys are compared unchanged.
    let keyConversion: KeyConversion?
    /// A Boolean value that indicates whether null elements of lists are left out, and null in place of a
    /// list is an empty one.
    let leavesOutNullElements: Bool
    /// The null elements that were left out, without those of values that could not be decoded.
    var nullElements: [NullElement] = []
    /// The index at which a type's own code threw the error in flight; -1 without an error.
    var failure = -1
    /// The number of types that are being decoded inside each other.
    private var nesting = 0
    /// The stack position at which the outermost type began.
    private var stackBase: UInt = 0
    /// Missing members for which a decoder was requested.
    private var absentMembers: [AbsentMember] = []
    /// Indices of the keys of objects with repeated or many keys, by the tape index of the object.
    var tables: [Int: [MemberKey: Int]] = [:]
    /// The containers around the last visited value, outermost first.
    private var levels: UnsafeMutablePointer<DecodingLevel>
    private var levelCapacity = 16
    private let types: UnsafeMutablePointer<DirectDecodableCacheEntry>

    private static let typeCapacity = 32

    init(_ node: Node, _ decoder: DocumentDecoder, leavesOutNullElements: Bool = false) {
        self.decoder = decoder
        self.leavesOutNullElements = leavesOutNullElements
        storage = node.storage
        root = node.storage.view(at: node.index)
        keyConversion = KeyConversion(decoder.keyDecodingStrategy)
        unsafe levels = .allocate(capacity: levelCapacity)
        unsafe levels.initialize(repeating: DecodingLevel(), count: levelCapacity)
        unsafe types = .allocate(capacity: Self.typeCapacity)
        unsafe types.initialize(repeating: DirectDecodableCacheEntry(), count: Self.typeCapacity)
    }

    deinit {
        unsafe levels.deallocate()
        unsafe types.deallocate()
    }

    /// Returns a view of a value.
    @inline(__always)
    func view(_ index: Int) -> NodeView { root.at(index) }

    /// Returns the tape node of a value; the node of null for a missing one.
    @inline(__always)
    func node(_ index: Int) -> TapeNode {
        index < 0 ? TapeNode(.null, offset: 0, payload: 0) : view(index).tapeNode
    }

    @inline(__always)
    func isNull(_ index: Int) -> Bool { node(index).kind == .null }

    // MARK: Values

    /// Decodes a value of any type.
    func value<T: Decodable>(_ type: T.Type, at index: Int, depth: Int) throws -> T {
        guard let direct = direct(type) else {
            return try decodeByType(type, at: index, depth: depth)
        }
        return try unsafe withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("the buffer has no address")
            }
            // Invariant: `direct` is `T` itself. It initializes the buffer unless it throws.
            unsafe try direct.read(
                self, at: index, depth: depth, into: UnsafeMutableRawPointer(start))
            return unsafe start.move()
        }
    }

    /// Decodes a value with the `init(from:)` of its type.
    @inline(__always)
    func decodeByType<T: Decodable>(_ type: T.Type, at index: Int, depth: Int) throws -> T {
        failure = -1
        if nesting == 0 { stackBase = StackUsage.position }
        if nesting >= decoder.depthLimit || StackUsage.isTooLarge(since: stackBase) {
            throw tooDeep(index)
        }
        nesting &+= 1
        defer { nesting &-= 1 }
        let nullCount = nullElements.count
        do {
            return try T(from: ValueDecoder(self, index, depth))
        } catch {
            if failure < 0 { failure = index }
            forgetNullElements(after: nullCount)
            throw error
        }
    }

    /// Returns the type itself if the decoder reads it without its `init(from:)`.
    @inline(__always)
    func direct<T>(_ type: T.Type) -> (any DirectDecodable.Type)? {
        let id = UInt(bitPattern: ObjectIdentifier(type))
        let slot = Int(truncatingIfNeeded: (id >> 4) ^ (id >> 9)) & (Self.typeCapacity &- 1)
        let known = unsafe types[slot]
        return known.id == id ? known.direct : cacheDirectType(type, id, slot)
    }

    @inline(never)
    private func cacheDirectType<T>(
        _ type: T.Type, _ id: UInt, _ slot: Int
    ) -> (any DirectDecodable.Type)? {
        let direct = type as? any DirectDecodable.Type
        unsafe types[slot] = DirectDecodableCacheEntry(id: id, direct: direct)
        return direct
    }

    // MARK: Positions

    /// Records the current member or element of a container.
    @inline(__always)
    func visit(_ child: Int, at position: Int = 0, of container: Int, depth: Int) {
        if depth >= levelCapacity { grow(depth) }
        unsafe levels[depth] = DecodingLevel(
            container: Int32(truncatingIfNeeded: container),
            child: Int32(truncatingIfNeeded: child),
            position: Int32(truncatingIfNeeded: position))
    }

    /// Returns the last visited member or element of a container, or -1.
    @inline(__always)
    func lastVisit(of container: Int, depth: Int) -> Int {
        guard depth < levelCapacity else { return -1 }
        let level = unsafe levels[depth]
        return Int(level.container) == container ? Int(level.child) : -1
    }

    @inline(never)
    private func grow(_ depth: Int) {
        let capacity = max(levelCapacity * 2, depth + 1)
        let larger = UnsafeMutablePointer<DecodingLevel>.allocate(capacity: capacity)
        unsafe larger.update(from: levels, count: levelCapacity)
        unsafe (larger + levelCapacity).initialize(
            repeating: DecodingLevel(), count: capacity - levelCapacity)
        unsafe levels.deallocate()
        unsafe levels = larger
        levelCapacity = capacity
    }

    /// Returns the path from the decoded value to a value inside it, taken from the last visited
    /// containers; `nil` if they do not enclose the value.
    ///
    /// - Complexity: O(*n*) in the length of the path, so that types which try several decodings
    ///   stay fast.
    func visitedPath(of index: Int) -> [DocumentPath.Component]? {
        var path: [DocumentPath.Component] = []
        var container = root.index
        while container != index {
            guard path.count < levelCapacity else { return nil }
            let level = unsafe levels[path.count]
            guard Int(level.container) == container else { return nil }
            path.append(
                view(container).isObject
                    ? .key(view(Int(level.child) - 1).string() ?? "")
                    : .index(Int(level.position)))
            container = Int(level.child)
        }
        return path
    }

    /// Returns a placeholder index for a missing member.
    func absent(_ key: any CodingKey, in object: Int) -> Int {
        absentMembers.append(AbsentMember(key: key, object: object))
        return -absentMembers.count
    }

    /// Returns the missing member behind a placeholder index.
    func absentMember(_ index: Int) -> AbsentMember { absentMembers[-index - 1] }
}

/// One container around the last visited value.
struct DecodingLevel: BitwiseCopyable {
    var container: Int32 = -1
    var child: Int32 = -1
    /// The position of the element, for an array.
    var position: Int32 = 0
}

/// A cached answer to whether the decoder reads a type without its `init(from:)`.
struct DirectDecodableCacheEntry {
    var id: UInt = 0
    var direct: (any DirectDecodable.Type)?
}

/// A missing member for which a decoder was requested.
struct AbsentMember {
    let key: any CodingKey
    let object: Int
}
