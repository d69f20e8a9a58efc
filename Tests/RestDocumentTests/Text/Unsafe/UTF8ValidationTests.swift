// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct UTF8ValidationTests {
    @Test func agreesWithStandardLibrary() throws {
        // Every lead byte, with second bytes on both sides of every boundary.
        let seconds: [UInt8] = [0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        let others: [[UInt8]] = [[], [0x80], [0xBF], [0x80, 0x80], [0xBF, 0xBF], [0x80, 0x41]]
        for lead in UInt8(0x80)...0xFF {
            for second in seconds {
                for rest in others {
                    let sequence = [lead, second] + rest
                    try check(sequence)
                    // After and before a sequence of three bytes.
                    try check([0xE2, 0x82, 0xAC] + sequence)
                    try check(sequence + [0xE2, 0x82, 0xAC])
                }
            }
            try check([lead])
        }
    }

    @Test func agreesAtEveryOffset() throws {
        for place in 0..<200 {
            let lead = [UInt8](repeating: 0x61, count: place)
            for sequence in [[0xC3, 0xA9], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]] {
                try check(lead + sequence)
                try check(lead + sequence + lead)
            }
        }
    }

    private func check(_ bytes: [UInt8]) throws {
        let quoted = [0x22] + bytes + [0x22]
        if let text = String(validating: bytes, as: UTF8.self) {
            #expect(try Document(parsing: quoted).root.string == text)
            return
        }
        let error = #expect(throws: DocumentError.self) { try Document(parsing: quoted) }
        let valid = (0...quoted.count).last {
            String(validating: quoted.prefix($0), as: UTF8.self) != nil
        }
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == valid, "\(bytes)")
    }
}
