// SPDX-License-Identifier: Apache-2.0

/// The public key element of a certificate, which a ``PublicKeyPin`` is the digest of.
package enum SubjectPublicKeyInfo {
    /// Returns the SubjectPublicKeyInfo of a certificate.
    ///
    /// - Parameter certificate: An X.509 certificate in DER.
    /// - Returns: The element with its tag and length, or `nil` if the bytes are not a certificate.
    /// - Source: RFC 5280 §4.1.
    package static func bytes(of certificate: [UInt8]) -> ArraySlice<UInt8>? {
        guard let root = DERElement(in: certificate[...]), root.tag == 0x30,
            let toBeSigned = DERElement(in: root.content), toBeSigned.tag == 0x30
        else { return nil }
        var rest = toBeSigned.content
        // Only the version is optional.
        if DERElement(in: rest)?.tag == 0xA0 { rest.removeFirst(DERElement(in: rest)?.count ?? 0) }
        // Serial number, signature algorithm, issuer, validity, subject.
        for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] {
            guard let element = DERElement(in: rest), element.tag == tag else { return nil }
            rest.removeFirst(element.count)
        }
        guard let key = DERElement(in: rest), key.tag == 0x30 else { return nil }
        return rest.prefix(key.count)
    }
}

/// A DER element at the start of bytes.
private struct DERElement {
    let tag: UInt8

    /// The size in bytes, with tag and length.
    let count: Int

    let content: ArraySlice<UInt8>

    init?(in bytes: ArraySlice<UInt8>) {
        guard let tag = bytes.first, let first = bytes.dropFirst().first else { return nil }
        var length = Int(first)
        var headCount = 2
        if first & 0x80 != 0 {
            let digitCount = Int(first & 0x7F)
            let digits = bytes.dropFirst(2).prefix(digitCount)
            guard (1...4).contains(digitCount), digits.count == digitCount else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
            headCount += digitCount
        }
        content = bytes.dropFirst(headCount).prefix(length)
        guard content.count == length else { return nil }
        self.tag = tag
        count = headCount + length
    }
}
