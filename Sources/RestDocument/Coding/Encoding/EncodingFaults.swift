// SPDX-License-Identifier: Apache-2.0

// What a type's own code sees is an EncodingError; paths are rebuilt here, when there is one.

extension EncodingRun {
    /// The way to a value with an encoder of its own, from the text that was written.
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

    /// A key as it was written.
    func key(at place: Int, in textIndex: Int) -> String {
        let text = textIndex == self.textIndex ? text : others[textIndex]?.text ?? text
        let written = text.bytes(from: place)
        var end = 1
        while end < written.count, written[end] != UInt8(ascii: "\"") {
            end += written[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return (try? Document(parsing: Array(written.prefix(end + 1))).root.string) ?? ""
    }

    /// The error of types nested too deep.
    func tooDeep(_ value: some Any, _ record: Int) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: codingPath(of: record),
                debugDescription: "Expected fewer types in each other.",
                underlyingError: DepthExceeded()))
    }

    /// The error of a number that JSON has not.
    func notFinite(_ value: some Any, at path: [any CodingKey]) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: path, debugDescription: "Expected a finite number."))
    }

    /// The error that leaves the encoder.
    func border(_ error: any Error) -> DocumentError {
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
                        "at most \(encoder.depthLimit) types in each other and 256 KiB of stack")
            }
            expected = "expected a value with a form in JSON"
        }
        return DocumentError(
            .notEncodable, offset: 0, path: path, expected: expected, underlying: error)
    }
}
