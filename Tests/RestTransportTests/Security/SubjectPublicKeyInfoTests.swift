// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import TestSupport
import Testing

@Suite struct SubjectPublicKeyInfoTests {
    @Test func findsPublicKeyInCertificate() throws {
        let authority = try TestAuthority()
        for certificate in [TestAuthority.Certificate.good, .weakKey, .selfSigned] {
            let pem = try String(
                contentsOfFile: authority.certificate(certificate), encoding: .utf8)
            let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
            let der = try #require(Data(base64Encoded: lines.joined()))
            _ = try authority.pin(certificate)
            let key = try Data(
                contentsOf: authority.directory.appendingPathComponent(
                    "\(certificate.rawValue).public"))
            #expect(SubjectPublicKeyInfo.bytes(of: [UInt8](der)).map { Data($0) } == key)
            for count in 0..<der.count {
                // A truncated certificate must not trap; it may contain the complete key.
                _ = SubjectPublicKeyInfo.bytes(of: [UInt8](der.prefix(count)))
            }
        }
    }
}
