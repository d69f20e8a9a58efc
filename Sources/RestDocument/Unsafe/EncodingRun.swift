// SPDX-License-Identifier: Apache-2.0

/// What one call of an encoder shares between the encoders and containers it hands out.
///
/// Values are appended to one text while containers are used one inside the other. A container
/// that is written to after its sibling goes on in a text of its own, an annex, which is put in its
/// place at the end.
///
/// Invariant: the lists and texts are used by this class and the encoders that hold it, and are
/// freed in `deinit`; `types` as well.
@safe
final class EncodingRun {
    let encoder: DocumentEncoder
    /// The text being appended to.
    let text = EncodedText()
    /// The values that are being encoded in that text, the innermost last.
    let open = FlatList<Int>(capacity: 32)
    /// All other texts, and the values being encoded in them.
    var others: [Int: (text: EncodedText, open: FlatList<Int>)] = [:]
    /// Which text is being appended to; 0 is the main one.
    var textIndex = 0
    /// Where annexes belong.
    var annexes: [Annex] = []
    /// Values whose place was left before anything was encoded there.
    var emptyPlaces: [Int] = []
    /// Where a type's own code threw what is on its way out now.
    var failure: DocumentPath?
    /// Whether an object might have a key twice.
    var mayRepeatKeys = false
    /// Spread keys of the open objects, the innermost last.
    let keyHashes = FlatList<UInt32>(capacity: 64)
    /// Converted keys.
    var convertedKeys: [String: String] = [:]
    /// What is known about every value that has an encoder of its own.
    let records = FlatList<EncodingRecord>(capacity: 64)
    private var nesting = 0
    /// Where the stack ended when the outermost of them began.
    private var stackBase: UInt = 0
    private let types: UnsafeMutablePointer<KnownEncodableType>

    private static let typeCapacity = 32

    init(_ encoder: DocumentEncoder) {
        self.encoder = encoder
        unsafe types = .allocate(capacity: Self.typeCapacity)
        unsafe types.initialize(repeating: KnownEncodableType(), count: Self.typeCapacity)
    }

    deinit {
        text.free()
        open.free()
        for other in others.values {
            other.text.free()
            other.open.free()
        }
        keyHashes.free()
        records.free()
        unsafe types.deallocate()
    }

    // MARK: Records

    /// What is known about a value with an encoder of its own.
    subscript(record: Int) -> EncodingRecord {
        @inline(__always) get { records[record] }
        @inline(__always) set { records[record] = newValue }
    }

    /// Begins a value with an encoder of its own, where the text ends now.
    @inline(__always)
    func newRecord(in parent: Int, step: Int) -> Int {
        let record = records.count
        records.append(EncodingRecord(text: textIndex, parent: parent, step: step))
        open.append(record)
        return record
    }

    // MARK: Values

    /// Encodes a value of any type where the text ends now.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - parent: The record of the container around it.
    ///   - step: Its position there, or where its key begins in the text.
    /// - Throws: What the value's type throws.
    @inline(__always)
    func write<T: Encodable>(_ value: T, in parent: Int, step: Int) throws {
        if let direct = direct(T.self) {
            try unsafe withUnsafePointer(to: value) { value in
                // Invariant: `direct` is `T` itself.
                try unsafe direct.write(
                    UnsafeRawPointer(value), to: self, in: parent, step: step)
            }
            return
        }
        try writePlain(value, in: parent, step: step)
    }

    /// Encodes a value by its type's own code.
    func writePlain<T: Encodable>(_ value: T, in parent: Int, step: Int) throws {
        let record = newRecord(in: parent, step: step)
        try encode(value, record) { try value.encode(to: $0) }
        endValue(record)
    }

    /// Runs a type's own code for a value that has a record.
    @inline(__always)
    func encode<T>(
        _ value: T, _ record: Int, by body: (ValueEncoder) throws -> Void
    ) throws {
        failure = nil
        if nesting == 0 { stackBase = StackUse.position }
        if nesting >= encoder.depthLimit || StackUse.isTooLarge(since: stackBase) {
            throw tooDeep(value, record)
        }
        nesting &+= 1
        defer { nesting &-= 1 }
        do {
            try body(ValueEncoder(run: self, record: record))
        } catch {
            if failure == nil { failure = path(of: record) }
            throw error
        }
    }

    /// The type itself, when it can be written without its own code.
    @inline(__always)
    func direct<T>(_ type: T.Type) -> (any DirectEncodable.Type)? {
        let id = UInt(bitPattern: ObjectIdentifier(type))
        let slot = Int(truncatingIfNeeded: (id >> 4) ^ (id >> 9)) & (Self.typeCapacity &- 1)
        let known = unsafe types[slot]
        return known.id == id ? known.direct : learn(type, id, slot)
    }

    @inline(never)
    private func learn<T>(
        _ type: T.Type, _ id: UInt, _ slot: Int
    ) -> (any DirectEncodable.Type)? {
        let direct = type as? any DirectEncodable.Type
        unsafe types[slot] = KnownEncodableType(id: id, direct: direct)
        return direct
    }
}

/// Whether a type is written without its own code.
struct KnownEncodableType {
    var id: UInt = 0
    var direct: (any DirectEncodable.Type)?
}

/// A value with an encoder of its own.
struct EncodingRecord: BitwiseCopyable {
    /// What was encoded so far.
    enum Kind: UInt8, BitwiseCopyable {
        case empty
        case scalar
        case array
        case object
    }

    /// Whether more can be written where it stands.
    enum State: UInt8, BitwiseCopyable {
        case open
        /// Its place was left; more needs an annex.
        case closed
        /// It failed and was taken back; what is written to it is lost.
        case dropped
    }

    var kind = Kind.empty
    var state = State.open
    /// Whether its brackets are in another text.
    var isContinued = false
    /// The text it is in.
    var text: Int
    /// Where in that text it ended, when it is closed.
    var end = 0
    /// Its members or elements so far.
    var count = 0
    /// The container around it; -1 for none.
    let parent: Int
    /// Its position there, or where its key begins in `stepText`.
    let step: Int
    let stepText: Int
    /// How many spread keys there were before its own.
    var firstHash = 0

    init(text: Int, parent: Int, step: Int) {
        self.text = text
        self.parent = parent
        self.step = step
        stepText = text
    }
}

/// More text of a value whose place was left.
struct Annex {
    let record: Int
    /// The text it belongs into, and where.
    let text: Int
    let offset: Int
    /// The text it is, or -1 for an empty object.
    let annex: Int
}
