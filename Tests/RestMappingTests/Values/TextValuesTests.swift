// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct TextValuesTests {
    @Test(
        .parity("M035", "M036"),
        arguments: [
            (#""text""#, "text"), (#""187""#, "187"), ("123", "123"), ("12345", "12345"),
            ("1.50", "1.50"), ("true", "true"),
            ("false", "false"), (#""a\u00e9\n""#, "aé\n"), (#""""#, ""),
        ])
    func convertsScalarsToTextAsWritten(json: String, expected: String) throws {
        #expect(try converted(json) == expected)
    }

    @Test(
        .parity("M079"),
        arguments: [
            ("true", true), ("1", true), ("7", true), ("-1", true), ("0.5", true),
            (#""true""#, true), (#""TRUE""#, true), (#""t""#, true), (#""T""#, true),
            (#""yes""#, true), (#""YES""#, true), (#""y""#, true), (#""Y""#, true),
            (#""1""#, true), ("false", false), ("0", false), ("0.0", false), (#""false""#, false),
            (#""FALSE""#, false), (#""f""#, false), (#""F""#, false), (#""no""#, false),
            (#""NO""#, false), (#""n""#, false), (#""0""#, false),
        ])
    func convertsNumbersAndWordsToBooleans(json: String, expected: Bool) throws {
        #expect(try converted(json) == expected)
    }
}
