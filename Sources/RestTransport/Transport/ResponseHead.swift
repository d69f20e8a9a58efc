// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import RestSyntax

/// The parser of response heads.
package enum ResponseHead {
    /// Returns a Boolean value that indicates whether a header is that of an interim response.
    package static func isInterim(_ header: [UInt8]) -> Bool {
        guard let status = status(in: header[...]) else { return false }
        return (100..<200).contains(status) && status != 101
    }

    /// Returns a head, parsed if it consists of lines.
    ///
    /// - Throws: ``TransportError`` with code `malformedResponse` if a line is malformed, or if the
    ///   server switches to another protocol, which no request asks for (RFC 9110 §15.2.2).
    package static func parse(
        _ head: ResponsePipe.Head, of request: TransportRequest
    ) throws(TransportError) -> HTTPResponse {
        let response: HTTPResponse =
            switch head {
            case .parsed(let response): response
            case .lines(let lines): try parse(lines, of: request)
            }
        if response.status == .switchingProtocols {
            throw malformed(request, "the server switches protocols, although not asked to")
        }
        return response
    }

    /// Parses the status line and the field lines of a response.
    ///
    /// - Parameters:
    ///   - header: The status line and the field lines, each with its line end.
    ///   - request: The request that the response answers.
    /// - Returns: The head.
    /// - Throws: ``TransportError`` with code `malformedResponse` if a line is neither status line
    ///   nor field, as with whitespace before the colon, or control characters.
    /// - Source: RFC 9112 §4, §5.
    package static func parse(
        _ header: [UInt8], of request: TransportRequest
    ) throws(TransportError) -> HTTPResponse {
        guard let code = status(in: header[...]), (100...999).contains(code) else {
            throw malformed(request, "the status line is malformed")
        }
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        for line in HeaderLines(header).dropFirst() {
            guard let field = field(in: line) else {
                throw malformed(request, "header line \(fields.count + 1) is not a field")
            }
            fields.append(field)
        }
        return HTTPResponse(status: HTTPResponse.Status(code: code), headerFields: fields)
    }

    private static func field(in line: ArraySlice<UInt8>) -> HTTPField? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex,
            let name = KnownFieldNames.name(line[..<colon])
                ?? HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        let value = line[(colon + 1)...].trimmingWhitespace()
        var isASCII = true
        for byte in value {
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else { return nil }
            if byte >= 0x80 { isASCII = false }
        }
        // Creating and reading values from bytes is slower, so it is done only if necessary.
        return isASCII
            ? HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
            : HTTPField(name: name, value: value)
    }

    private static func status(in header: ArraySlice<UInt8>) -> Int? {
        guard let space = header.firstIndex(of: UInt8(ascii: " ")), isVersion(header[..<space])
        else { return nil }
        let digits = header[(space + 1)...].prefix(3)
        guard digits.count == 3, digits.allSatisfy({ $0.isDigit }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    }

    /// Returns a Boolean value that indicates whether bytes are `HTTP/` and one digit, or two
    /// digits separated by a dot.
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
