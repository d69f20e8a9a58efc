// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestSyntax
import Testing

@Suite struct DateTextTests {
    /// The fast path of the most common format accepts and rejects the same texts.
    @Test(arguments: [
        "2011-08-09T07:53:08Z", "0000-02-29T23:59:59z", "2100-02-28t00:00:00Z",
        "9999-12-31T24:00:00Z", "1990-12-31T23:59:60Z",
    ])
    func readsTimestampsLikeTheirParts(_ text: String) {
        let bytes = Array(text.utf8)
        check(bytes)
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                check(changed)
            }
            check(Array(bytes[..<index]))
        }
        // Two positions, as adding words may carry from one byte into the next.
        for index in bytes.indices.dropLast() {
            for byte in [0x2F, 0x3A, 0x7F, 0x80, 0xBA, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = byte
                changed[index + 1] = bytes[index + 1] &- 1
                check(changed)
            }
        }
    }

    private func check(_ bytes: [UInt8]) {
        let fields = DateText.iso8601(bytes.span)
        let parts = fields.flatMap { CivilDate($0) }
        var isRFC3339 = false
        let read = DateText.read(bytes.span, &isRFC3339)
        // Only this format begins with a year and a hyphen.
        guard bytes.count >= 8, bytes[4] == UInt8(ascii: "-") else { return }
        #expect(read?.secondsSince1970 == parts?.secondsSince1970, "\(bytes)")
        #expect(read == nil || isRFC3339 == fields?.isRFC3339, "\(bytes)")
    }
}
