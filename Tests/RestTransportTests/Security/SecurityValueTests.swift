// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import TestSupport
import Testing

/// The values that secure connections are described by.
@Suite struct SecurityValueTests {
    @Test func showsNothingOfAKey() {
        let identity = TLSConfiguration.Identity(
            certificates: .file("/etc/client.pem"), privateKey: .text("canary"))
        var configuration = TLSConfiguration()
        configuration.identity = identity
        var dumped = ""
        dump(configuration, to: &dumped)
        let texts = ["\(configuration)", String(reflecting: configuration), dumped]
        for text in texts {
            #expect(!text.contains("canary"))
            #expect(!text.contains("99, 97, 110"))
        }
        #expect("\(identity.certificates)" == "PEM file /etc/client.pem")
    }

    @Test(arguments: [
        "", "abc", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "YWJj",
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU==",
        "47DEQpj8HBSa+;TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ])
    func refusesWhatIsNoPin(text: String) {
        #expect(throws: TransportError.self) { try PublicKeyPin(sha256: text) }
    }

    @Test func takesADigestAsPin() throws {
        let text = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        #expect(try PublicKeyPin(sha256: text).sha256 == text)
    }

    @Test(.enabled(if: TestAuthority.command != nil, "the openssl command is missing"))
    func findsThePublicKeyInACertificate() throws {
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
                // A part of a certificate is none; some parts hold the whole key.
                _ = SubjectPublicKeyInfo.bytes(of: [UInt8](der.prefix(count)))
            }
        }
    }
}
