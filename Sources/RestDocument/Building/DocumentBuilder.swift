// SPDX-License-Identifier: Apache-2.0

/// Builds a document in code, value by value in document order.
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
/// The result is a tape over compact JSON text, as if that text had been parsed. Values out of
/// place, such as one without a key in an object, are programmer's errors and trap.
public struct DocumentBuilder: Sendable {
    private var bytes: [UInt8] = []
    private var nodes: [TapeNode] = []
    /// Indices of the unfinished containers.
    private var open: [Int] = []
    private var hasKey = false

    /// Makes a builder of an empty document, which is not one yet.
    public init() {}

    /// Makes a builder with room for a document of a known size.
    public init(minimumByteCount: Int, minimumNodeCount: Int) {
        bytes.reserveCapacity(minimumByteCount)
        nodes.reserveCapacity(minimumNodeCount)
    }

    /// Whether nothing was added yet.
    public var isEmpty: Bool { nodes.isEmpty }

    // MARK: Containers

    /// Begins an object; what follows is its keys and values.
    public mutating func beginObject() { begin(.object, UInt8(ascii: "{")) }

    /// Begins an array; what follows is its elements.
    public mutating func beginArray() { begin(.array, UInt8(ascii: "[")) }

    /// Ends the container begun last.
    public mutating func end() {
        precondition(!hasKey, "a value follows every key")
        guard let container = open.popLast() else {
            preconditionFailure("a container begins before it ends")
        }
        let isObject = nodes[container].kind == .object
        nodes[container].payload |= UInt64(nodes.count) << 32
        bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    /// Names the value that follows, a member of the object begun last.
    public mutating func key(_ key: String) {
        guard let container = open.last, nodes[container].kind == .object, !hasKey else {
            preconditionFailure("a key stands in an object, before a value")
        }
        separate(container)
        appendText(key)
        bytes.append(UInt8(ascii: ":"))
        hasKey = true
    }

    // MARK: Values

    /// Adds `null`.
    public mutating func null() { literal(.null, "null") }

    /// Adds `true` or `false`.
    public mutating func bool(_ value: Bool) {
        if value { literal(.true, "true") } else { literal(.false, "false") }
    }

    /// Adds text.
    public mutating func string(_ value: String) {
        beginValue()
        appendText(value)
    }

    /// Adds a whole number.
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

    /// Adds a number, written with the fewest digits that read back as the same double.
    ///
    /// - Throws: ``DocumentError/Code/invalidNumber`` for infinities and NaN, which JSON has not.
    public mutating func number(_ value: Double) throws(DocumentError) {
        guard value.isFinite else {
            throw DocumentError(
                .invalidNumber, offset: bytes.count, path: path, expected: "a finite number")
        }
        append(.double, text: value.description, payload: value.bitPattern)
    }

    /// Adds a number of any size and precision as it is written in JSON.
    ///
    /// - Throws: ``DocumentError/Code/invalidNumber`` when JSON does not allow the text.
    public mutating func number(text: String) throws(DocumentError) {
        guard let parsed = try? Document(parsing: text), parsed.root.kind == .number,
            parsed.root.numberText == text
        else {
            throw DocumentError(
                .invalidNumber, offset: bytes.count, path: path, expected: "a number of JSON")
        }
        value(parsed.root)
    }

    /// Adds a value of another document with everything in it.
    public mutating func value(_ node: Node) {
        beginValue()
        let text = node.compactBytes()
        // What a document holds is valid, so this cannot fail.
        guard let copy = try? Document(parsing: text, limits: .none) else { return }
        let shift = UInt64(bytes.count) << 24
        let base = UInt64(nodes.count) << 32
        bytes += text
        nodes.reserveCapacity(nodes.count + copy.storage.nodeCount)
        copy.withView { root in
            for index in 0..<copy.storage.nodeCount {
                var node = root.at(index).node
                node.head += shift
                if node.kind.isContainer { node.payload += base }
                nodes.append(node)
            }
        }
    }

    /// Adds a whole document.
    public mutating func value(_ document: Document) { value(document.root) }

    /// The document; every container must have ended.
    public consuming func finish() -> Document {
        precondition(open.isEmpty, "a container ends before the document does")
        precondition(!nodes.isEmpty, "a document has a value")
        return Document(storage: DocumentStorage.copying(bytes, nodes))
    }

    // MARK: Parts

    private mutating func begin(_ kind: TapeKind, _ byte: UInt8) {
        beginValue()
        open.append(nodes.count)
        nodes.append(TapeNode(kind, offset: bytes.count, payload: 0))
        bytes.append(byte)
    }

    private mutating func beginValue() {
        guard let container = open.last else {
            precondition(nodes.isEmpty, "a document has one value")
            return
        }
        if nodes[container].kind == .object {
            precondition(hasKey, "a value of an object follows its key")
            hasKey = false
        } else {
            separate(container)
        }
    }

    /// Counts a member or element, after a comma if it is not the first.
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

    /// The way to where the next value would stand.
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
