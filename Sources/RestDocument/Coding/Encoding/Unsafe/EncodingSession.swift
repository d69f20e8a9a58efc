// SPDX-License-Identifier: Apache-2.0

/// The state that all encoders and containers of one `encode` call share.
///
/// Values are appended to one text as long as containers are used in nested order. Content that a
/// type adds to a container after its sibling was begun goes to a separate text, a segment, which
/// is inserted at the end.
///
/// Invariant: only this class and the encoders that retain it use the arrays and texts, which are
/// freed in `deinit`, as is `types`.
@safe
final class EncodingSession {
    let encoder: DocumentEncoder
    /// The current text.
    let text = JSONTextBuffer()
    /// The values that are being encoded in the current text, innermost last.
    let open = UnmanagedArray<Int>(capacity: 32)
    /// All other texts, with the values that are being encoded in them.
    var others: [Int: (text: JSONTextBuffer, open: UnmanagedArray<Int>)] = [:]
    /// The number of the current text; 0 is the main text.
    var textIndex = 0
    /// The segments to insert at the end.
    var segments: [Segment] = []
    /// Values that were closed before any content was encoded.
    var emptyRecords: [Int] = []
    /// The path at which a type's own code threw the error in flight.
    var failure: DocumentPath?
    /// A Boolean value that indicates whether an object may contain a repeated key.
    var mayRepeatKeys = false
    /// The hashes of the keys of the open objects, innermost last.
    let keyHashes = UnmanagedArray<UInt32>(capacity: 64)
    /// A cache of converted keys.
    var convertedKeys: [String: String] = [:]
    /// The states of all values with their own encoders.
    let records = UnmanagedArray<EncodingRecord>(capacity: 64)
    private var nesting = 0
    /// The stack position at which the outermost type began.
    private var stackBase: UInt = 0
    private let types: UnsafeMutablePointer<DirectEncodableCacheEntry>

    private static let typeCapacity = 32

    init(_ encoder: DocumentEncoder) {
        self.encoder = encoder
        unsafe types = .allocate(capacity: Self.typeCapacity)
        unsafe types.initialize(repeating: DirectEncodableCacheEntry(), count: Self.typeCapacity)
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

    /// The state of a value with its own encoder.
    subscript(record: Int) -> EncodingRecord {
        @inline(__always) get { records[record] }
        @inline(__always) set { records[record] = newValue }
    }

    /// Begins a value with its own encoder at the end of the text.
    @inline(__always)
    func newRecord(in parent: Int, step: Int) -> Int {
        let record = records.count
        records.append(EncodingRecord(text: textIndex, parent: parent, step: step))
        open.append(record)
        return record
    }

    // MARK: Values

    /// Encodes a value of any type at the end of the text.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - parent: The record of the enclosing container.
    ///   - step: The position of the value in the container, or the offset of its key in the text.
    /// - Throws: The error that the type throws.
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
        try encodeByType(value, in: parent, step: step)
    }

    /// Encodes a value with the `encode(to:)` of its type.
    func encodeByType<T: Encodable>(_ value: T, in parent: Int, step: Int) throws {
        let record = newRecord(in: parent, step: step)
        try encode(value, record) { try value.encode(to: $0) }
        endValue(record)
    }

    /// Runs a type's own code for a value with a record.
    @inline(__always)
    func encode<T>(
        _ value: T, _ record: Int, by body: (ValueEncoder) throws -> Void
    ) throws {
        failure = nil
        if nesting == 0 { stackBase = StackUsage.position }
        if nesting >= encoder.depthLimit || StackUsage.isTooLarge(since: stackBase) {
            throw tooDeep(value, record)
        }
        nesting &+= 1
        defer { nesting &-= 1 }
        do {
            try body(ValueEncoder(session: self, record: record))
        } catch {
            if failure == nil { failure = path(of: record) }
            throw error
        }
    }

    /// Returns the type itself if the encoder writes it without its `encode(to:)`.
    @inline(__always)
    func direct<T>(_ type: T.Type) -> (any DirectEncodable.Type)? {
        let id = UInt(bitPattern: ObjectIdentifier(type))
        let slot = Int(truncatingIfNeeded: (id >> 4) ^ (id >> 9)) & (Self.typeCapacity &- 1)
        let known = unsafe types[slot]
        return known.id == id ? known.direct : cacheDirectType(type, id, slot)
    }

    @inline(never)
    private func cacheDirectType<T>(
        _ type: T.Type, _ id: UInt, _ slot: Int
    ) -> (any DirectEncodable.Type)? {
        let direct = type as? any DirectEncodable.Type
        unsafe types[slot] = DirectEncodableCacheEntry(id: id, direct: direct)
        return direct
    }
}

/// A cached answer to whether the encoder writes a type without its `encode(to:)`.
struct DirectEncodableCacheEntry {
    var id: UInt = 0
    var direct: (any DirectEncodable.Type)?
}
