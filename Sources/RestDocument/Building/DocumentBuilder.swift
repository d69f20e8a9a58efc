// SPDX-License-Identifier: Apache-2.0

/// A builder that creates a document value by value, in document order.
///
/// ```swift
/// var builder = DocumentBuilder()
/// builder.beginObject()
/// builder.key("id")
/// builder.number(42)
/// builder.key("tags")
/// builder.beginArray()
/// builder.string("new")
/// builder.end()
/// builder.end()
/// let document = builder.finish()      // {"id":42,"tags":["new"]}
/// ```
///
/// The result is a tape over compact JSON text, equal to the tape that parsing this text creates.
/// Calls out of order, such as a value without a key in an object, are programming errors and trap.
public struct DocumentBuilder: Sendable {
    private var bytes: [UInt8] = []
    private var nodes: [TapeNode] = []
    /// The tape indices of the unfinished containers, outermost first.
    private var open: [Int] = []
    private var hasKey = false

    /// Creates a builder without any values.
    public init() {}

    /// Creates a builder with reserved capacity for a document of a known size.
    public init(minimumByteCount: Int, minimumNodeCount: Int) {
        bytes.reserveCapacity(minimumByteCount)
        nodes.reserveCapacity(minimumNodeCount)
    }

    /// A Boolean value that indicates whether no value has been added.
    public var isEmpty: Bool { nodes.isEmpty }

    // MARK: Containers

    /// Begins an object.
    ///
    /// Its keys and values follow.
    public mutating func beginObject() { begin(.object, UInt8(ascii: "{")) }

    /// Begins an array.
    ///
    /// Its elements follow.
    public mutating func beginArray() { begin(.array, UInt8(ascii: "[")) }

    /// Ends the innermost open container.
    public mutating func end() {
        precondition(!hasKey, "end() after a key without a value")
        guard let container = open.popLast() else {
            preconditionFailure("end() without an open container")
        }
        let isObject = nodes[container].kind == .object
        nodes[container].payload |= UInt64(nodes.count) << 32
        bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    /// Adds the key of the next value to the innermost open object.
    public mutating func key(_ key: String) {
        guard let container = open.last, nodes[container].kind == .object, !hasKey else {
            preconditionFailure("key(_:) outside of an object, or after another key")
        }
        separate(container)
        appendText(key)
        bytes.append(UInt8(ascii: ":"))
        hasKey = true
    }

    // MARK: Values

    /// Adds `null`.
    public mutating func null() { literal(.null, "null") }

    /// Adds a Boolean value.
    public mutating func bool(_ value: Bool) {
        if value { literal(.true, "true") } else { literal(.false, "false") }
    }

    /// Adds a string.
    public mutating func string(_ value: String) {
        beginValue()
        appendText(value)
    }

    /// Adds an integer.
    public mutating func number(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            append(.integer, text: value.description, payload: UInt64(bitPattern: value))
        } else if let value = UInt64(exactly: value) {
            append(.unsigned, text: value.description, payload: value)
        } else {
            let nearest = Double(value)
            append(.double, text: value.description, payload: nearest.bitPattern)
        }
    }

    /// Adds a number with the fewest digits that read back as the same double.
    ///
    /// - Throws: ``DocumentError/Code/invalidNumber`` for infinities and NaN, which JSON cannot
    ///   express.
    public mutating func number(_ value: Double) throws(DocumentError) {
        guard value.isFinite else {
            throw DocumentError(
                .invalidNumber, offset: bytes.count, path: path, expected: "a finite number")
        }
        append(.double, text: value.description, payload: value.bitPattern)
    }

    /// Adds a number of any size and precision, given as JSON text.
    ///
    /// - Throws: ``DocumentError/Code/invalidNumber`` if the text is not a JSON number.
    public mutating func number(text: String) throws(DocumentError) {
        guard let parsed = try? Document(parsing: text), parsed.root.kind == .number,
            parsed.root.numberText == text
        else {
            throw DocumentError(
                .invalidNumber, offset: bytes.count, path: path, expected: "a JSON number")
        }
        value(parsed.root)
    }

    /// Adds a copy of a value, with its content, from another document.
    public mutating func value(_ node: Node) {
        beginValue()
        let text = node.compactBytes()
        // The content of a document is valid, so parsing it cannot fail.
        guard let copy = try? Document(parsing: text, limits: .none) else { return }
        let shift = UInt64(bytes.count) << 24
        let base = UInt64(nodes.count) << 32
        bytes += text
        copy.withView { root in
            for index in 0..<copy.storage.nodeCount {
                var node = root.at(index).tapeNode
                node.head += shift
                if node.kind.isContainer { node.payload += base }
                nodes.append(node)
            }
        }
    }

    /// Adds a copy of a document.
    public mutating func value(_ document: Document) { value(document.root) }

    /// Returns the document.
    ///
    /// All containers must have ended.
    public consuming func finish() -> Document {
        precondition(open.isEmpty, "finish() with an open container")
        precondition(!nodes.isEmpty, "finish() without a value")
        return Document(storage: DocumentStorage.copying(bytes, nodes))
    }

    // MARK: Implementation

    private mutating func begin(_ kind: TapeKind, _ byte: UInt8) {
        beginValue()
        open.append(nodes.count)
        nodes.append(TapeNode(kind, offset: bytes.count, payload: 0))
        bytes.append(byte)
    }

    private mutating func beginValue() {
        guard let container = open.last else {
            precondition(nodes.isEmpty, "a second value at the root")
            return
        }
        if nodes[container].kind == .object {
            precondition(hasKey, "a value without a key in an object")
            hasKey = false
        } else {
            separate(container)
        }
    }

    /// Counts a member or element, and appends a comma if it is not the first.
    private mutating func separate(_ container: Int) {
        if nodes[container].count > 0 { bytes.append(UInt8(ascii: ",")) }
        nodes[container].payload += 1
    }

    private mutating func literal(_ kind: TapeKind, _ text: String) {
        beginValue()
        nodes.append(TapeNode(kind, offset: bytes.count, payload: 0))
        bytes += text.utf8
    }

    private mutating func append(_ kind: TapeKind, text: String, payload: UInt64) {
        beginValue()
        nodes.append(
            TapeNode(kind, offset: bytes.count, length: text.utf8.count, payload: payload))
        bytes += text.utf8
    }

    private mutating func appendText(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        let isEscaped = appendEscaped(text, to: &bytes)
        nodes.append(
            TapeNode(
                isEscaped ? .escapedString : .string, offset: start,
                payload: UInt64(bytes.count - start)))
        bytes.append(UInt8(ascii: "\""))
    }

    /// The path of the next value.
    private var path: DocumentPath {
        DocumentPath(
            open.enumerated().map { depth, container in
                guard nodes[container].kind == .object else {
                    let isInner = depth + 1 < open.count
                    return .index(nodes[container].count - (isInner ? 1 : 0))
                }
                let child = depth + 1 < open.count ? open[depth + 1] : nodes.count
                return .key(text(of: nodes[child - 1]))
            })
    }

    private func text(of key: TapeNode) -> String {
        let written = bytes[key.offset..<key.offset + Int(key.payload)]
        let quoted = [UInt8(ascii: "\"")] + written + [UInt8(ascii: "\"")]
        return (try? Document(parsing: quoted).root.string) ?? ""
    }
}
