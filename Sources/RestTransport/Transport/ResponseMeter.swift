// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// The counters that enforce limits and framing rules while a response arrives.
///
/// A pure value that adapters call; each call returns whether the exchange continues.
package struct ResponseMeter: Sendable {
    /// A violated limit or framing rule.
    package enum Violation: Sendable, Hashable {
        case headerTooLarge
        case malformedHead(ResponseHead.Defect)
        case bodyTooLarge
        case decompressionRatioTooLarge
        case compressedBytesWithoutOutput
        case conflictingContentLengths
        case multipleCodings
        case unsupportedTransferCoding
        case malformedChunks
        case undecodableBody
        case truncatedBody

        /// Returns the error for the violation.
        package func error(
            for request: TransportRequest, limits: TransportLimits
        ) -> TransportError {
            switch self {
            case .headerTooLarge: limits.headerTooLarge(request)
            case .malformedHead(let defect):
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: defect.reason)
            case .bodyTooLarge: limits.bodyTooLarge(request)
            case .decompressionRatioTooLarge: limits.decompressionRatioTooLarge(request)
            case .compressedBytesWithoutOutput: limits.compressedBytesWithoutOutput(request)
            case .conflictingContentLengths:
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "the Content-Length fields are not a single number")
            case .multipleCodings:
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "more than one content coding")
            case .unsupportedTransferCoding:
                TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "a transfer coding other than chunked")
            case .malformedChunks:
                TransportError(
                    .malformedResponse, stage: .receivingBody, request: request,
                    reason: "the framing of the body is malformed")
            case .undecodableBody:
                TransportError(
                    .malformedResponse, stage: .receivingBody, request: request,
                    reason: "the body cannot be decoded")
            case .truncatedBody:
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

    /// A Boolean value that indicates whether the body has chunked transfer coding.
    package private(set) var isChunked = false

    /// The first violation.
    package private(set) var violation: Violation?

    /// The content coding of the body; `nil` if there is none or it is not supported.
    package private(set) var coding: ContentCoding?

    /// A Boolean value that indicates whether the body has an unsupported content coding.
    package var hasUnsupportedCoding: Bool { isEncoded && coding == nil }

    /// The announced length in bytes; `nil` if there is none.
    package private(set) var contentLength: Int?

    package init(limits: TransportLimits) {
        self.limits = limits
    }

    /// Resets the framing after an interim response.
    ///
    /// The counters are kept.
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

    /// Counts the fields of a header whose bytes have already been counted with ``countLine(_:)``.
    ///
    /// - Parameter header: The lines as received, status line first, each with its line end.
    /// - Returns: `true` if no limit is exceeded.
    package mutating func countFields(in header: [UInt8]) -> Bool {
        for line in HeaderLines(header).dropFirst() {
            guard note(field: line) else { return false }
        }
        return true
    }

    /// Counts a header field and its bytes.
    ///
    /// - Parameter line: The field as received, with or without its line end.
    /// - Returns: `true` if no limit is exceeded.
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

    /// Counts decoded bytes of the body.
    ///
    /// - Parameters:
    ///   - count: The number of decoded bytes.
    ///   - encodedByteCount: Returns the number of bytes received so far; called only if needed.
    /// - Returns: `true` if no limit is exceeded.
    package mutating func count(bodyByteCount count: Int, encodedByteCount: () -> Int) -> Bool {
        bodyByteCount += count
        guard bodyByteCount <= limits.bodyByteCount else { return fail(.bodyTooLarge) }
        if isEncoded, bodyByteCount > limits.decompressionAllowance,
            bodyByteCount / limits.decompressionRatio > encodedByteCount()
        {
            return fail(.decompressionRatioTooLarge)
        }
        return true
    }

    /// Counts the compressed bytes that the decoder has consumed.
    ///
    /// Empty blocks and empty members decode to nothing, so the decoded bytes alone do not bound
    /// the work of decoding.
    ///
    /// - Parameter count: The number of compressed bytes of the body so far.
    /// - Returns: `true` if no limit is exceeded.
    package mutating func count(encodedByteCount count: Int) -> Bool {
        let surplus = count - limits.compressedByteAllowance
        let isWithin = surplus / TransportLimits.maximumCompressedExpansion <= bodyByteCount
        return isWithin ? true : fail(.compressedBytesWithoutOutput)
    }

    private mutating func count(length value: ArraySlice<UInt8>) -> Bool {
        guard let length = Int(String(decoding: value, as: UTF8.self)), length >= 0,
            value.first?.isDigit == true, contentLength == nil || contentLength == length
        else { return fail(.conflictingContentLengths) }
        contentLength = length
        return true
    }

    private mutating func count(coding value: ArraySlice<UInt8>) -> Bool {
        let name = value.map { $0.asciiLowercased }[...]
        if name.isEmpty || name.elementsEqual("identity".utf8) { return true }
        guard !isEncoded, !name.contains(UInt8(ascii: ",")) else { return fail(.multipleCodings) }
        isEncoded = true
        coding = ContentCoding(name: name)
        return true
    }

    /// Accepts only `chunked`, and only once (RFC 9112 §6.1, §7.4).
    private mutating func count(transferCoding value: ArraySlice<UInt8>) -> Bool {
        guard !isChunked, value.lazy.map(\.asciiLowercased).elementsEqual("chunked".utf8) else {
            return fail(.unsupportedTransferCoding)
        }
        isChunked = true
        return true
    }

    /// Records a violation, if it is the first one.
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
        return line.dropFirst(count + 1).trimmingWhitespace()
    }
}

extension ArraySlice<UInt8> {
    /// Returns the slice without whitespace at both ends.
    func trimmingWhitespace() -> ArraySlice<UInt8> {
        // By indices: removing elements would copy shared bytes.
        guard let first = firstIndex(where: { !$0.isBlank }),
            let last = lastIndex(where: { !$0.isBlank })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte is a space, a tab or part of a line end.
    var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
            || self == UInt8(ascii: "\n")
    }
}
