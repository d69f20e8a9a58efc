// SPDX-License-Identifier: Apache-2.0

// An `Encodable` type receives an `EncodingError`. Paths are computed only when an error occurs.

extension EncodingSession {
    /// Returns the path to a value with its own encoder, read back from the written text.
    func path(of record: Int) -> DocumentPath {
        var path: [DocumentPath.Component] = []
        var record = record
        while record >= 0, self[record].parent >= 0 {
            path.append(step(to: self[record]))
            record = self[record].parent
        }
        path.reverse()
        return DocumentPath(path)
    }

    func codingPath(of record: Int) -> [any CodingKey] {
        path(of: record).components.map { component in
            switch component {
            case .key(let key): DocumentKey(stringValue: key)
            case .index(let position): DocumentKey(intValue: position)
            }
        }
    }

    private func step(to record: EncodingRecord) -> DocumentPath.Component {
        if self[record.parent].kind == .array { return .index(record.step) }
        return .key(key(at: record.step, in: record.stepText))
    }

    /// Returns a key, read back from the written text.
    func key(at offset: Int, in textIndex: Int) -> String {
        let text = textIndex == self.textIndex ? text : others[textIndex]?.text ?? text
        let written = text.bytes(from: offset)
        var end = 1
        while end < written.count, written[end] != UInt8(ascii: "\"") {
            end += written[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return (try? Document(parsing: Array(written.prefix(end + 1))).root.string) ?? ""
    }

    /// Returns the error for types nested too deeply.
    func tooDeep(_ value: some Any, _ record: Int) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: codingPath(of: record),
                debugDescription: "Expected fewer nested types.",
                underlyingError: DepthExceeded()))
    }

    /// Returns the error for a number that JSON cannot express.
    func notFinite(_ value: some Any, at path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: path, debugDescription: "Expected a finite number."))
    }

    /// Returns the public error for an error of an `Encodable` type.
    func documentError(wrapping error: any Error) -> DocumentError {
        var path = failure ?? .root
        var expected = "expected a value its type can encode"
        if case .invalidValue(_, let context)? = error as? EncodingError {
            path = DocumentPath(
                context.codingPath.map { key in
                    (key as? DocumentKey)?.intValue.map { .index($0) } ?? .key(key.stringValue)
                })
            if context.underlyingError is DepthExceeded {
                return DocumentError(
                    .limitExceeded, offset: 0, path: path,
                    expected:
                        "at most \(encoder.depthLimit) nested types and 256 KiB of stack")
            }
            expected = "expected a value that JSON can express"
        }
        return DocumentError(
            .notEncodable, offset: 0, path: path, expected: expected, underlying: error)
    }
}
