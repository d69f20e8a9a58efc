// SPDX-License-Identifier: Apache-2.0

/// What one call of a decoder shares between the decoders and containers it hands out.
///
/// They hold it strongly, so a type may keep its decoder and use it later.
///
/// Invariant: `root` views `storage`, which is held as long; `levels` and `types` are made in
/// `init`, replaced in `grow` only, and freed in `deinit`; no pointer to either is kept elsewhere.
@safe
final class DecodingRun {
    let decoder: DocumentDecoder
    let storage: DocumentStorage
    let root: NodeView
    /// How keys are converted; `nil` where they are compared as they are.
    let keyConversion: KeyConversion?
    /// Where a type's own code threw what is on its way out now; -1 when nothing is.
    var failure = -1
    /// How many types are being decoded inside each other.
    private var nesting = 0
    /// Where the stack ended when the outermost of them began.
    private var stackBase: UInt = 0
    /// Members that were asked for as decoders and are not there.
    private var absentMembers: [AbsentMember] = []
    /// Tables of the objects whose keys repeat or are many, by the objects' places.
    var tables: [Int: [MemberKey: Int]] = [:]
    /// The containers around the place visited last, the outermost first.
    private var levels: UnsafeMutablePointer<DecodingLevel>
    private var levelCapacity = 16
    private let types: UnsafeMutablePointer<KnownType>

    private static let typeCapacity = 32

    init(_ node: Node, _ decoder: DocumentDecoder) {
        self.decoder = decoder
        storage = node.storage
        root = node.storage.view(at: node.index)
        keyConversion = KeyConversion(decoder.keyDecodingStrategy)
        unsafe levels = .allocate(capacity: levelCapacity)
        unsafe levels.initialize(repeating: DecodingLevel(), count: levelCapacity)
        unsafe types = .allocate(capacity: Self.typeCapacity)
        unsafe types.initialize(repeating: KnownType(), count: Self.typeCapacity)
    }

    deinit {
        unsafe levels.deallocate()
        unsafe types.deallocate()
    }

    /// A value of the document.
    @inline(__always)
    func view(_ index: Int) -> NodeView { root.at(index) }

    /// The node of a value; that of null for one that is not there.
    @inline(__always)
    func node(_ index: Int) -> TapeNode {
        index < 0 ? TapeNode(.null, offset: 0, payload: 0) : view(index).node
    }

    @inline(__always)
    func isNull(_ index: Int) -> Bool { node(index).kind == .null }

    // MARK: Values

    /// Makes a value of any type.
    func value<T: Decodable>(_ type: T.Type, at index: Int, depth: Int) throws -> T {
        guard let direct = direct(type) else {
            return try plainValue(type, at: index, depth: depth)
        }
        return try unsafe withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { room in
            guard let start = room.baseAddress else { preconditionFailure("room for one value") }
            // Invariant: `direct` is `T` itself, and initializes the room unless it throws.
            unsafe try direct.read(
                self, at: index, depth: depth, into: UnsafeMutableRawPointer(start))
            return unsafe start.move()
        }
    }

    /// Makes a value by its type's own code.
    @inline(__always)
    func plainValue<T: Decodable>(_ type: T.Type, at index: Int, depth: Int) throws -> T {
        failure = -1
        if nesting == 0 { stackBase = StackUse.position }
        if nesting >= decoder.depthLimit || StackUse.isTooLarge(since: stackBase) {
            throw tooDeep(index)
        }
        nesting &+= 1
        defer { nesting &-= 1 }
        do {
            return try T(from: ValueDecoder(self, index, depth))
        } catch {
            if failure < 0 { failure = index }
            throw error
        }
    }

    /// The type itself, when it can be read without its own code.
    @inline(__always)
    func direct<T>(_ type: T.Type) -> (any DirectDecodable.Type)? {
        let id = UInt(bitPattern: ObjectIdentifier(type))
        let slot = Int(truncatingIfNeeded: (id >> 4) ^ (id >> 9)) & (Self.typeCapacity &- 1)
        let known = unsafe types[slot]
        return known.id == id ? known.direct : learn(type, id, slot)
    }

    @inline(never)
    private func learn<T>(
        _ type: T.Type, _ id: UInt, _ slot: Int
    ) -> (any DirectDecodable.Type)? {
        let direct = type as? any DirectDecodable.Type
        unsafe types[slot] = KnownType(id: id, direct: direct)
        return direct
    }

    // MARK: Places

    /// Notes which member or element of a container is being looked at.
    @inline(__always)
    func visit(_ child: Int, at position: Int = 0, of container: Int, depth: Int) {
        if depth >= levelCapacity { grow(depth) }
        unsafe levels[depth] = DecodingLevel(
            container: Int32(truncatingIfNeeded: container),
            child: Int32(truncatingIfNeeded: child),
            position: Int32(truncatingIfNeeded: position))
    }

    /// The member or element of a container that was visited last; -1 for none.
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

    /// The way from the decoded value to a value inside it, from the containers visited last;
    /// `nil` when those are not the ones around it.
    ///
    /// - Complexity: O(*n*) in the number of steps, so that types which try and fail stay fast.
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

    /// A place for a member that an object does not have.
    func absent(_ key: any CodingKey, in object: Int) -> Int {
        absentMembers.append(AbsentMember(key: key, object: object))
        return -absentMembers.count
    }

    /// What is known about a member that is not there.
    func absentMember(_ index: Int) -> AbsentMember { absentMembers[-index - 1] }
}

/// One container around the place visited last.
struct DecodingLevel: BitwiseCopyable {
    var container: Int32 = -1
    var child: Int32 = -1
    /// The element's position, in an array.
    var position: Int32 = 0
}

/// Whether a type is read without its own code.
struct KnownType {
    var id: UInt = 0
    var direct: (any DirectDecodable.Type)?
}

/// A member that was asked for as a decoder and is not there.
struct AbsentMember {
    let key: any CodingKey
    let object: Int
}
