// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The lines before a body, as text from the wire.
package enum ResponseHead {
    /// Whether the status line is that of an interim response.
    package static func isInterim(_ header: [UInt8]) -> Bool {
        guard let status = status(in: header[...]) else { return false }
        return (100..<200).contains(status) && status != 101
    }

    /// Reads status and fields, unless they have been read.
    package static func parse(
        _ head: ResponsePipe.Head, of request: TransportRequest
    ) throws(TransportError) -> HTTPResponse {
        switch head {
        case .parsed(let response): response
        case .lines(let lines): try parse(lines, of: request)
        }
    }

    /// Reads status and fields.
    ///
    /// - Parameters:
    ///   - header: The status line and the field lines, each with its line end.
    ///   - request: The request it answers.
    /// - Returns: The head.
    /// - Throws: ``TransportError`` with code `malformedResponse` when a line is neither status line
    ///   nor field, as with folded fields, blanks before the colon, or control characters.
    /// - Source: RFC 9112 §4, §5.
    package static func parse(
        _ header: [UInt8], of request: TransportRequest
    ) throws(TransportError) -> HTTPResponse {
        guard let code = status(in: header[...]), (100...999).contains(code) else {
            throw malformed(request, "the status line is not one")
        }
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        var start = header.span.endOfLine(from: 0)
        while start < header.count {
            let end = header.span.endOfLine(from: start)
            guard let field = field(in: header, at: start..<end) else {
                throw malformed(request, "header line \(fields.count + 1) is not a field")
            }
            fields.append(field)
            start = end
        }
        return HTTPResponse(status: HTTPResponse.Status(code: code), headerFields: fields)
    }

    private static func field(in header: [UInt8], at line: Range<Int>) -> HTTPField? {
        let bytes = header.span
        guard let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") }),
            colon != line.lowerBound
        else { return nil }
        let nameRange = line.lowerBound..<colon
        guard
            let name = KnownFieldNames.name(bytes.extracting(nameRange))
                ?? HTTPField.Name(String(decoding: header[nameRange], as: UTF8.self))
        else { return nil }
        let valueRange = bytes.withoutBlanks(colon + 1..<line.upperBound)
        var isASCII = true
        for index in valueRange {
            let byte = bytes[index]
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else { return nil }
            if byte >= 0x80 { isASCII = false }
        }
        let value = header[valueRange]
        // As bytes only where they are no text, which is slower to make and to read.
        return isASCII
            ? HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
            : HTTPField(name: name, value: value)
    }

    private static func status(in header: ArraySlice<UInt8>) -> Int? {
        guard let blank = header.firstIndex(of: UInt8(ascii: " ")), isVersion(header[..<blank])
        else {
            return nil
        }
        let digits = header[(blank + 1)...].prefix(3)
        guard digits.count == 3, digits.allSatisfy({ $0.isDigit }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    }

    /// Whether the bytes are `HTTP/` and a digit, or two with a dot between them.
    private static func isVersion(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.starts(with: "HTTP/".utf8) else { return false }
        let number = bytes.dropFirst(5)
        guard let major = number.first, let minor = number.last, major.isDigit, minor.isDigit else {
            return false
        }
        return number.count == 1
            || number.count == 3 && number[number.startIndex + 1] == UInt8(ascii: ".")
    }

    private static func malformed(_ request: TransportRequest, _ reason: String) -> TransportError {
        TransportError(
            .malformedResponse, stage: .receivingHeader, request: request, reason: reason)
    }
}
