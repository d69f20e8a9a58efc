// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import RestSyntax

/// The parser of response heads.
package enum ResponseHead {
    /// The reason why a header is not that of a response.
    package enum Defect: Sendable, Hashable {
        /// The status line is malformed.
        case statusLine

        /// A line is not a field; the first line after the status line has number 1.
        case field(line: Int)

        /// The server switches to another protocol, which no request asks for (RFC 9110 §15.2.2).
        case protocolSwitch

        package var reason: String {
            switch self {
            case .statusLine: "the status line is malformed"
            case .field(let line): "header line \(line) is not a field"
            case .protocolSwitch: "the server switches protocols, although not asked to"
            }
        }
    }

    /// Returns the first defect of a header, or `nil` if parsing accepts it.
    ///
    /// A transport closes the connection of a header with a defect: what follows may not be what it
    /// seems. Parsing comes too late for this, as it creates values for another thread.
    ///
    /// - Parameter header: The status line and the field lines, each with its line end.
    /// - Returns: The defect.
    package static func defect(in header: [UInt8]) -> Defect? {
        guard let code = status(in: header[...]), (100...999).contains(code) else {
            return .statusLine
        }
        if code == HTTPResponse.Status.switchingProtocols.code { return .protocolSwitch }
        var line = 0
        for bytes in HeaderLines(header).dropFirst() {
            line += 1
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon != bytes.startIndex,
                bytes[..<colon].allSatisfy(\.isTokenCharacter),
                bytes[(colon + 1)...].trimmingWhitespace().allSatisfy(\.isFieldCharacter)
            else { return .field(line: line) }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a header has version 1.0 of HTTP.
    package static func isOfHTTP10(_ header: [UInt8]) -> Bool {
        header.starts(with: "HTTP/1.0 ".utf8)
    }

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
            throw malformed(request, .protocolSwitch)
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
            throw malformed(request, .statusLine)
        }
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        for line in HeaderLines(header).dropFirst() {
            guard let field = field(in: line) else {
                throw malformed(request, .field(line: fields.count + 1))
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
            guard byte.isFieldCharacter else { return nil }
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

    private static func malformed(_ request: TransportRequest, _ defect: Defect) -> TransportError {
        ResponseMeter.Violation.malformedHead(defect).error(for: request, limits: .default)
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte may occur in a field value.
    fileprivate var isFieldCharacter: Bool {
        self >= 0x20 && self != 0x7F || self == UInt8(ascii: "\t")
    }
}
