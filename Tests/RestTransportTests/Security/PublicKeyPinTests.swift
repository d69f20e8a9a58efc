// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Testing

@Suite struct PublicKeyPinTests {
    @Test(arguments: [
        "", "abc", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "YWJj",
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU==",
        "47DEQpj8HBSa+;TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ])
    func rejectsInvalidPins(text: String) {
        #expect(throws: TransportError.self) { try PublicKeyPin(sha256: text) }
    }

    @Test func acceptsDigestAsPin() throws {
        let text = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        #expect(try PublicKeyPin(sha256: text).sha256 == text)
    }
}
