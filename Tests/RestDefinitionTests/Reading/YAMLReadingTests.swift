// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

@Suite struct YAMLReadingTests {
    @Test(arguments: [
        ("no", ScalarValue.text("no")), ("true", .boolean(true)), ("~", .null),
        ("1.50", .number("1.50")),
        ("-0", .number("-0")), ("007", .text("007")), ("1_000", .text("1_000")),
        ("0x10", .text("0x10")),
        ("9007199254740993", .number("9007199254740993")), ("'1'", .text("1")),
        ("2024-05-01", .text("2024-05-01")),
        ("1e3", .number("1e3")), ("1.", .text("1.")), (".5", .text(".5")),
    ])
    func readsScalarsAsJSONDoes(_ text: String, _ value: ScalarValue) throws {
        let source = try SourceValue(parsingYAML: "a: \(text)")
        #expect(
            source
                == SourceValue(
                    .mapping([
                        .init(
                            "a", SourceValue(.scalar(value), at: .init(line: 1, column: 4)),
                            at: .init(line: 1, column: 1))
                    ]),
                    at: .init(line: 1, column: 1)))
    }

    @Test func mergesMappingsAndAliases() throws {
        let text = "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: *x"
        let document = try SourceValue(parsingYAML: text).document
        #expect(
            document.debugDescription == #"{"a":{"p":1,"q":2},"b":{"q":3,"p":1},"c":{"p":1,"q":2}}"#
        )
    }

    @Test func limitsValuesOfAliases() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...7 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(throws: DefinitionError.self) { try SourceValue(parsingYAML: text) }
    }

    @Test func refusesEmptyFiles() {
        #expect(throws: DefinitionError.self) { try SourceValue(parsingYAML: "# nothing\n") }
    }
}
