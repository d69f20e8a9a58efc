// SPDX-License-Identifier: Apache-2.0

/// A parser for the text of a path.
struct PathReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    mutating func components() throws(DocumentError) -> [DocumentPath.Component] {
        var components: [DocumentPath.Component] = []
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "[") {
                components.append(try bracketed())
                continue
            }
            if !components.isEmpty {
                guard bytes[position] == UInt8(ascii: ".") else { throw error("\".\" or \"[\"") }
                position += 1
            }
            components.append(try key())
        }
        return components
    }

    /// Reads `[3]` or `[""]`.
    private mutating func bracketed() throws(DocumentError) -> DocumentPath.Component {
        position += 1
        let component: DocumentPath.Component
        if bytes[position...].starts(with: "\"\"]".utf8) {
            position += 2
            component = .key("")
        } else {
            let start = position
            var index = 0
            while position < bytes.count, bytes[position] &- 0x30 < 10 {
                let (tens, isTooLarge) = index.multipliedReportingOverflow(by: 10)
                let (sum, isLarger) = tens.addingReportingOverflow(Int(bytes[position] &- 0x30))
                guard !isTooLarge, !isLarger else { throw error("a smaller position") }
                index = sum
                position += 1
            }
            guard position > start else { throw error("a position of an array") }
            component = .index(index)
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "]") else {
            throw error("\"]\"")
        }
        position += 1
        return component
    }

    private mutating func key() throws(DocumentError) -> DocumentPath.Component {
        var key: [UInt8] = []
        scan: while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ".") where bytes[..<position].suffix(6).elementsEqual("@odata".utf8):
                key.append(bytes[position])
            case UInt8(ascii: "."), UInt8(ascii: "["):
                break scan
            case UInt8(ascii: "]"):
                throw error("\"\\]\", a bracket that belongs to a key")
            case UInt8(ascii: "\\"):
                position += 1
                guard position < bytes.count else { throw error("a character after \"\\\"") }
                key.append(bytes[position])
            case let byte:
                key.append(byte)
            }
            position += 1
        }
        guard !key.isEmpty else { throw error("a key") }
        return .key(String(decoding: key, as: UTF8.self))
    }

    private func error(_ expected: String) -> DocumentError {
        DocumentError(.invalidPath, offset: position, expected: "expected \(expected)")
    }
}
