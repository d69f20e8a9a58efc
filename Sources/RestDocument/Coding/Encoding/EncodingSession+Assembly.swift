// SPDX-License-Identifier: Apache-2.0

extension EncodingSession {
    /// Encodes the outermost value and returns its text, which the caller owns.
    private func finish(_ value: some Encodable) throws(DocumentError) -> JSONTextBuffer {
        do {
            try write(value, in: -1, step: 0)
        } catch {
            throw documentError(wrapping: error)
        }
        for index in others.keys.sorted() + [textIndex] {
            switchText(to: index)
            while open.count > 0 { closeLast() }
        }
        switchText(to: 0)
        for record in emptyRecords
        where self[record].kind == .empty && self[record].state == .closed {
            let position = self[record]
            segments.append(
                Segment(
                    record: record, enclosingText: position.text, offset: position.end,
                    text: -1))
        }
        let result = JSONTextBuffer()
        if segments.isEmpty { result.swap(with: text) } else { assemble(0, into: result) }
        return result
    }

    /// Returns the outermost value as a document.
    func document(of value: some Encodable) throws(DocumentError) -> Document {
        try removingRepeatedKeys(finish(value))
    }

    private func removingRepeatedKeys(_ text: JSONTextBuffer) throws(DocumentError) -> Document {
        let document = try text.document()
        guard mayRepeatKeys, !document.storage.repeatedKeys().isEmpty else { return document }
        return try Document(parsing: document.root.withView(bytesWithDistinctKeys), limits: .none)
    }

    /// Returns the outermost value as compact JSON text.
    func bytes(of value: some Encodable) throws(DocumentError) -> [UInt8] {
        let text = try finish(value)
        return mayRepeatKeys ? try removingRepeatedKeys(text).root.compactBytes() : text.takeArray()
    }

    /// Returns the text of a value in which only the last value of a repeated key remains.
    private func bytesWithDistinctKeys(_ view: NodeView) -> [UInt8] {
        var pass = LayoutWriter(.compact, dropsRepeatedKeys: true)
        pass.write(view)
        return pass.output
    }

    /// Appends a text and inserts its segments.
    private func assemble(_ index: Int, into result: JSONTextBuffer) {
        let piece = index == textIndex ? text : others[index]?.text ?? text
        var start = 0
        // At the same offset, inner content precedes the content that continues its container.
        let inserted = segments.filter { $0.enclosingText == index }.sorted {
            ($0.offset, -$0.record) < ($1.offset, -$1.record)
        }
        for segment in inserted {
            result.append(piece, start..<segment.offset)
            start = segment.offset
            if segment.text < 0 {
                result.append("{}")
            } else {
                assemble(segment.text, into: result)
            }
        }
        result.append(piece, start..<piece.count)
    }
}
