// SPDX-License-Identifier: Apache-2.0

/// Counts a response against its limits while it arrives, and keeps watch on its framing.
///
/// A pure value that adapters feed; each call answers whether to go on.
package struct ResponseMeter: Sendable {
    /// The limit or rule that a response broke.
    package enum Violation: Sendable, Hashable {
        case headerTooLarge
        case bodyTooLarge
        case ratioTooLarge
        case conflictingLengths
        case severalCodings
        case foreignTransferCoding
        case brokenChunks
        case undecodableBody
        case cutBody

        /// The error that tells of it.
        package func error(
            for request: TransportRequest, limits: TransportLimits
        ) -> TransportError {
            switch self {
            case .headerTooLarge: limits.headerTooLarge(request)
            case .bodyTooLarge: limits.bodyTooLarge(request)
            case .ratioTooLarge: limits.ratioTooLarge(request)
            case .conflictingLengths:
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "the Content-Length fields are not one number")
            case .severalCodings:
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "more than one content coding")
            case .foreignTransferCoding:
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "a transfer coding other than chunked")
            case .brokenChunks:
                TransportError(
                    .malformedResponse, stage: .receivingBody, request: request,
                    reason: "the body's framing is broken")
            case .undecodableBody:
                TransportError(
                    .malformedResponse, stage: .receivingBody, request: request,
                    reason: "the body cannot be decoded")
            case .cutBody:
                TransportError(
                    .incompleteBody, stage: .receivingBody, request: request,
                    reason: "the body ends early")
            }
        }
    }

    private let limits: TransportLimits
    private var headerByteCount = 0
    private var fieldCount = 0
    private var bodyByteCount = 0
    private var isEncoded = false

    /// Whether the body comes in chunks.
    package private(set) var isChunked = false

    /// The first limit or rule that was broken.
    package private(set) var violation: Violation?

    /// The coding of the body, where it is one that is undone.
    package private(set) var coding: ContentCoding?

    /// Whether the body has a coding that was not asked for.
    package var hasForeignCoding: Bool { isEncoded && coding == nil }

    /// The announced length, when there is one.
    package private(set) var contentLength: Int?

    package init(limits: TransportLimits) {
        self.limits = limits
    }

    /// Forgets what an interim response said; what was counted stays counted.
    package mutating func beginResponse() {
        contentLength = nil
        isEncoded = false
        isChunked = false
        coding = nil
    }

    /// Counts the bytes of a line.
    package mutating func countLine(_ byteCount: Int) -> Bool {
        headerByteCount += byteCount
        return headerByteCount <= limits.headerByteCount ? true : fail(.headerTooLarge)
    }

    /// Counts the fields of a header whose bytes have been counted line by line.
    ///
    /// - Parameter header: The lines as received, status line first, each with its line end.
    /// - Returns: Whether the limits still hold.
    package mutating func countFields(in header: [UInt8]) -> Bool {
        for line in HeaderLines(header).dropFirst() {
            guard note(field: line) else { return false }
        }
        return true
    }

    /// Counts a header field and its bytes.
    ///
    /// - Parameter line: The field as received, with or without its line end.
    /// - Returns: Whether the limits still hold.
    package mutating func count(field line: ArraySlice<UInt8>) -> Bool {
        countLine(line.count) && note(field: line)
    }

    private mutating func note(field line: ArraySlice<UInt8>) -> Bool {
        fieldCount += 1
        guard fieldCount <= limits.headerFieldCount else { return fail(.headerTooLarge) }
        guard let first = line.first.map({ $0 | 0x20 }),
            first == UInt8(ascii: "c") || first == UInt8(ascii: "t")
        else { return true }
        if let value = value(of: "content-length", in: line) {
            return count(length: value)
        }
        if let value = value(of: "content-encoding", in: line) {
            return count(coding: value)
        }
        if let value = value(of: "transfer-encoding", in: line) {
            return count(transferCoding: value)
        }
        return true
    }

    /// Counts bytes of the body, decoded.
    ///
    /// - Parameters:
    ///   - count: The number of decoded bytes.
    ///   - encodedByteCount: The number of bytes received so far; asked for when needed.
    /// - Returns: Whether the limits still hold.
    package mutating func count(bodyByteCount count: Int, encodedByteCount: () -> Int) -> Bool {
        bodyByteCount += count
        guard bodyByteCount <= limits.bodyByteCount else { return fail(.bodyTooLarge) }
        if isEncoded, bodyByteCount > limits.decompressionAllowance,
            bodyByteCount / limits.decompressionRatio > encodedByteCount()
        {
            return fail(.ratioTooLarge)
        }
        return true
    }

    private mutating func count(length value: ArraySlice<UInt8>) -> Bool {
        guard let length = Int(String(decoding: value, as: UTF8.self)), length >= 0,
            value.first?.isDigit == true, contentLength == nil || contentLength == length
        else { return fail(.conflictingLengths) }
        contentLength = length
        return true
    }

    private mutating func count(coding value: ArraySlice<UInt8>) -> Bool {
        let name = value.map { $0.asciiLowercased }[...]
        if name.isEmpty || name.elementsEqual("identity".utf8) { return true }
        guard !isEncoded, !name.contains(UInt8(ascii: ",")) else { return fail(.severalCodings) }
        isEncoded = true
        coding = ContentCoding(name: name)
        return true
    }

    /// Nothing but `chunked` was asked for, and that only once (RFC 9112 §6.1, §7.4).
    private mutating func count(transferCoding value: ArraySlice<UInt8>) -> Bool {
        guard !isChunked, value.lazy.map(\.asciiLowercased).elementsEqual("chunked".utf8) else {
            return fail(.foreignTransferCoding)
        }
        isChunked = true
        return true
    }

    /// Notes that the response breaks a rule; the first one counts.
    ///
    /// - Returns: `false`.
    package mutating func fail(_ violation: Violation) -> Bool {
        if self.violation == nil { self.violation = violation }
        return false
    }

    private func value(of name: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let count = name.utf8.count
        guard line.count > count, line[line.startIndex + count] == UInt8(ascii: ":") else {
            return nil
        }
        for (byte, expected) in zip(line, name.utf8) where byte.asciiLowercased != expected {
            return nil
        }
        return line.dropFirst(count + 1).trimmingBlanks()
    }
}

extension ArraySlice<UInt8> {
    /// The slice without blanks and line ends at both ends.
    func trimmingBlanks() -> ArraySlice<UInt8> {
        // By positions: removing an element copies bytes that others hold, too.
        guard let first = firstIndex(where: { !$0.isBlank }),
            let last = lastIndex(where: { !$0.isBlank })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}

extension UInt8 {
    /// Whether the byte is a blank, a tab or part of a line end.
    var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
            || self == UInt8(ascii: "\n")
    }
}
