// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

@Suite struct DocumentDataTests {
    @Test func readsData() throws {
        let data = Data("xx[1, 2]xx".utf8)
        #expect(try Document(parsing: data[2..<8]).root.count == 2)
        #expect(throws: DocumentError.self) { try Document(parsing: Data()) }
    }

    @Test(
        arguments: [
            "0", "-0", "1", "-1", "0.1", "-12.50", "1e2", "1e-10", "19.99", "1e127", "1e-128",
            "123456789012345678901234567890", "9223372036854775807", "18446744073709551615",
            "18446744073709551616", "340282366920938463463.374607431768211455",
            "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
            "12345678901234567890.12345678901234567", "9.9e100",
        ])
    func readsDecimalsExactly(_ text: String) throws {
        let decimal = try #require(try Document(parsing: text).root.decimal)
        #expect(decimal == Decimal(string: text))
    }

    @Test(
        arguments: [
            "1e400", "1e-129", "1.23e-128", "1e200", "1e128", "7e161",
            "1234567890123456789012345678901234567890.5",
        ])
    func returnsNilForInexactDecimals(_ text: String) throws {
        #expect(try Document(parsing: text).root.decimal == nil)
    }

    @Test func returnsNilDecimalForOtherValues() throws {
        #expect(try Document(parsing: #"["1"]"#).root[0]?.decimal == nil)
    }
}
