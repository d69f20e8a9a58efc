// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// A writer that appends every value of a document with its full name.
struct FormWriter {
    /// An open container.
    private struct Frame {
        /// The indices of the keys in writing order; `nil` for an array.
        let keys: [Int]?
        /// The position in `keys`, or the index of the next element.
        var next: Int
        /// The end of the positions.
        let end: Int
        /// The number of bytes of the container's own name.
        let nameCount: Int
    }

    private let maximumDepth: Int
    private var output: [UInt8] = []
    /// The encoded name of the current value.
    private var name: [UInt8] = []
    private var frames: [Frame] = []

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Returns the form of an object.
    mutating func form(of root: NodeView) throws(DocumentError) -> [UInt8] {
        guard root.isObject else {
            throw error(.unwritableValue, root, "an object, found \(NodeKind(root.kind))")
        }
        try begin(root)
        while let frame = frames.last {
            guard frame.next < frame.end else {
                frames.removeLast()
                continue
            }
            name.removeSubrange(frame.nameCount...)
            let value: NodeView
            if let keys = frame.keys {
                let key = root.at(keys[frame.next])
                appendName(key, isNested: frames.count > 1)
                value = root.at(key.index + 1)
                frames[frames.count - 1].next += 1
            } else {
                name += "[]".utf8
                value = root.at(frame.next)
                frames[frames.count - 1].next = value.nextIndex
            }
            if value.kind.isContainer { try begin(value) } else { appendPair(value) }
        }
        return output
    }

    private mutating func begin(_ container: NodeView) throws(DocumentError) {
        guard frames.count < maximumDepth else {
            throw error(
                .limitExceeded, container,
                "at most \(maximumDepth) nested containers")
        }
        if container.isObject {
            let keys = writtenKeys(of: container)
            frames.append(Frame(keys: keys, next: 0, end: keys.count, nameCount: name.count))
        } else {
            frames.append(
                Frame(
                    keys: nil, next: container.index + 1, end: container.contentEnd,
                    nameCount: name.count))
        }
    }

    /// Returns the indices of an object's keys, sorted by lowercased name; equal names are in
    /// document order.
    private func writtenKeys(of object: NodeView) -> [Int] {
        let named = object.sortedDistinctKeys().map { index in
            (name: object.at(index).string()?.lowercased() ?? "", index: index)
        }
        return named.sorted { ($0.name, $0.index) < ($1.name, $1.index) }.map(\.index)
    }

    /// Appends a name.
    ///
    /// Brackets remain unescaped.
    private mutating func appendName(_ key: NodeView, isNested: Bool) {
        if isNested { name.append(UInt8(ascii: "[")) }
        for byte in key.string()?.utf8 ?? "".utf8 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") {
                name.append(byte)
            } else {
                PercentEncoding.appendEncoded(CollectionOfOne(byte), to: &name)
            }
        }
        if isNested { name.append(UInt8(ascii: "]")) }
    }

    private mutating func appendPair(_ value: NodeView) {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        output += name
        // A pair with neither name nor `=` would disappear.
        if value.isNull, !name.isEmpty { return }
        output.append(UInt8(ascii: "="))
        if let bool = value.bool {
            output.append(UInt8(ascii: bool ? "1" : "0"))
        } else if let text = value.string() ?? value.numberText {
            PercentEncoding.appendEncoded(text.utf8, to: &output)
        }
    }

    private func error(
        _ code: DocumentError.Code, _ value: NodeView, _ expected: String
    ) -> DocumentError {
        DocumentError(code, offset: value.tapeNode.offset, path: value.path, expected: expected)
    }
}
