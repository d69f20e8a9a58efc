// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// The host of a URL: a registered name, an IPv4 address, or an IPv6 address in brackets.
enum HostName {
    /// Returns the canonical form of a host.
    ///
    /// - Parameter bytes: The host as written, an IPv6 address with its brackets.
    /// - Returns: The host in lower case, an IPv6 address in its shortest form.
    /// - Throws: ``TransportError`` with code `invalidRequest`.
    static func canonical(_ bytes: ArraySlice<UInt8>) throws(TransportError) -> [UInt8] {
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.count > 2, bytes.last == UInt8(ascii: "]"),
                let address = IPv6Address(bytes.dropFirst().dropLast())
            else { throw HTTPURL.invalidURL("the host is not an IPv6 address") }
            return Array("[\(address)]".utf8)
        }
        let host = bytes.map { $0.asciiLowercased }
        guard !host.isEmpty, host.count <= 253 else {
            throw HTTPURL.invalidURL("the host is empty or longer than 253 characters")
        }
        guard host.allSatisfy({ $0.isHostCharacter }) else {
            throw HTTPURL.invalidURL("the host contains a character that is not allowed")
        }
        var labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true {
            labels.removeLast()
        }
        guard labels.allSatisfy({ (1...63).contains($0.count) }) else {
            throw HTTPURL.invalidURL("a label of the host is empty or longer than 63 characters")
        }
        if let last = labels.last, isNumber(last), !isDottedQuad(labels, host: host) {
            throw HTTPURL.invalidURL("the host is a number but not four decimal numbers")
        }
        return host
    }

    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy({ $0.isDigit }) { return true }
        return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { $0.isHexDigit }
    }

    private static func isDottedQuad(_ labels: [ArraySlice<UInt8>], host: [UInt8]) -> Bool {
        host.last != UInt8(ascii: ".") && IPv4Address(labels) != nil
    }
}

/// An IPv4 address of four decimal numbers without leading zeros.
private struct IPv4Address {
    let bytes: [UInt8]

    init?(_ labels: [ArraySlice<UInt8>]) {
        bytes = labels.compactMap { label in
            guard (1...3).contains(label.count), label.allSatisfy({ $0.isDigit }),
                label.count == 1 || label.first != UInt8(ascii: "0")
            else { return nil }
            return UInt8(String(decoding: label, as: UTF8.self))
        }
        if labels.count != 4 || bytes.count != 4 { return nil }
    }
}

extension UInt8 {
    fileprivate var isHostCharacter: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_")
    }
}

/// An IPv6 address without zone.
private struct IPv6Address: CustomStringConvertible {
    private var groups: [UInt16] = []

    init?(_ bytes: ArraySlice<UInt8>) {
        guard let text = Self.withoutDottedQuad(bytes) else { return nil }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, let head = Self.groups(of: halves[0]) else { return nil }
        if halves.count == 1 {
            groups = head
        } else {
            guard let tail = Self.groups(of: halves[1]), head.count + tail.count <= 7 else {
                return nil
            }
            groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        }
        if groups.count != 8 { return nil }
    }

    /// Returns the text with its last two groups in hexadecimal if they are a dotted quad.
    ///
    /// - Source: RFC 4291 §2.2.
    private static func withoutDottedQuad(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(UInt8(ascii: ".")) else { return text }
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            let quad = IPv4Address(
                bytes[(colon + 1)...].split(
                    separator: UInt8(ascii: "."), omittingEmptySubsequences: false))
        else { return nil }
        let groups = [0, 2].map { index in
            String(Int(quad.bytes[index]) << 8 | Int(quad.bytes[index + 1]), radix: 16)
        }
        return String(decoding: bytes[...colon], as: UTF8.self) + groups.joined(separator: ":")
    }

    private static func groups(of text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.isHexDigit }),
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    /// The form of RFC 5952: the first longest run of zero groups is left out.
    var description: String {
        var longest = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = max(end, start + 1)
        }
        func joined(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        if longest.isEmpty { return joined(0..<8) }
        return joined(0..<longest.lowerBound) + "::" + joined(longest.upperBound..<8)
    }
}
