// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// The conformance files of JSONTestSuite and nativejson-benchmark, byte for byte.
@Suite(.tags(.specification), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct JSONSuiteTests {
    static let folder = "suites/json-parsing"

    static func files(_ subfolder: String, prefix: String) -> [String] {
        let files = (try? SharedFiles.files(in: "\(folder)/\(subfolder)", suffix: ".json")) ?? []
        return files.filter { $0.split(separator: "/").last?.hasPrefix(prefix) == true }
    }

    static func document(_ path: String) throws -> Document {
        try Document(parsing: [UInt8](SharedFiles.data(path)))
    }

    /// The inputs that RFC 8259 leaves to the implementation, and whether they are accepted.
    ///
    /// Numbers of any size are accepted and keep their text. Text that is not UTF-8 before or after
    /// unescaping is rejected.
    enum Choice: Sendable, Equatable {
        case read
        case reject(DocumentError.Code)
    }

    static let choices: [String: Choice] = [
        "i_number_double_huge_neg_exp": .read,
        "i_number_huge_exp": .read,
        "i_number_neg_int_huge_exp": .read,
        "i_number_pos_double_huge_exp": .read,
        "i_number_real_neg_overflow": .read,
        "i_number_real_pos_overflow": .read,
        "i_number_real_underflow": .read,
        "i_number_too_big_neg_int": .read,
        "i_number_too_big_pos_int": .read,
        "i_number_very_big_negative_int": .read,
        "i_object_key_lone_2nd_surrogate": .reject(.loneSurrogate),
        "i_string_1st_surrogate_but_2nd_missing": .reject(.loneSurrogate),
        "i_string_1st_valid_surrogate_2nd_invalid": .reject(.loneSurrogate),
        "i_string_UTF-16LE_with_BOM": .reject(.unsupportedEncoding),
        "i_string_UTF-8_invalid_sequence": .reject(.invalidUTF8),
        "i_string_UTF8_surrogate_U+D800": .reject(.invalidUTF8),
        "i_string_incomplete_surrogate_and_escape_valid": .reject(.loneSurrogate),
        "i_string_incomplete_surrogate_pair": .reject(.loneSurrogate),
        "i_string_incomplete_surrogates_escape_valid": .reject(.loneSurrogate),
        "i_string_invalid_lonely_surrogate": .reject(.loneSurrogate),
        "i_string_invalid_surrogate": .reject(.loneSurrogate),
        "i_string_invalid_utf-8": .reject(.invalidUTF8),
        "i_string_inverted_surrogates_U+1D11E": .reject(.loneSurrogate),
        "i_string_iso_latin_1": .reject(.invalidUTF8),
        "i_string_lone_second_surrogate": .reject(.loneSurrogate),
        "i_string_lone_utf8_continuation_byte": .reject(.invalidUTF8),
        "i_string_not_in_unicode_range": .reject(.invalidUTF8),
        "i_string_overlong_sequence_2_bytes": .reject(.invalidUTF8),
        "i_string_overlong_sequence_6_bytes": .reject(.invalidUTF8),
        "i_string_overlong_sequence_6_bytes_null": .reject(.invalidUTF8),
        "i_string_truncated-utf-8": .reject(.invalidUTF8),
        "i_string_utf16BE_no_BOM": .reject(.unsupportedEncoding),
        "i_string_utf16LE_no_BOM": .reject(.unsupportedEncoding),
        "i_structure_500_nested_arrays": .read,
        "i_structure_UTF-8_BOM_empty_object": .read,
    ]

    @Test(arguments: files("test_parsing", prefix: "y_"))
    func acceptsRequiredInputs(_ path: String) throws {
        _ = try Self.document(path)
    }

    @Test(.threat("T07"), arguments: files("test_parsing", prefix: "n_"))
    func rejectsInvalidInputs(_ path: String) throws {
        let data = try SharedFiles.data(path)
        let error = #expect(throws: DocumentError.self) {
            try Document(parsing: [UInt8](data))
        }
        if let error { #expect(error.offset <= data.count) }
    }

    @Test(arguments: files("test_parsing", prefix: "i_"))
    func decidesImplementationDefinedInputs(_ path: String) throws {
        let name = String(path.split(separator: "/").last?.dropLast(5) ?? "")
        let choice = try #require(Self.choices[name], "not in the table of choices")
        var found = Choice.read
        do {
            _ = try Self.document(path)
        } catch let error as DocumentError {
            found = .reject(error.code)
        }
        #expect(found == choice)
    }

    @Test(arguments: files("jsonchecker", prefix: "pass"))
    func acceptsInputsOfChecker(_ path: String) throws {
        _ = try Self.document(path)
    }

    @Test(arguments: files("jsonchecker", prefix: "fail").filter { !$0.contains("EXCLUDE") })
    func rejectsInputsOfChecker(_ path: String) {
        #expect(throws: DocumentError.self) { try Self.document(path) }
    }

    @Test(arguments: files("roundtrip", prefix: ""))
    func roundTripsInputs(_ path: String) throws {
        let bytes = [UInt8](try SharedFiles.data(path))
        let document = try Document(parsing: bytes)
        #expect(JSONWriter.compact.bytes(of: document) == bytes)
        #expect(JSONWriter(sortsKeys: true).text(of: document).utf8.count == bytes.count)
    }

    /// The expected values of inputs that parsers read differently.
    static let transformed: [String: String?] = [
        "number_-9223372036854775808": "[-9223372036854775808] -9223372036854775808",
        "number_-9223372036854775809": "[-9223372036854775809] none",
        "number_1.0": "[1.0] 1",
        "number_1.000000000000000005": "[1.000000000000000005] none",
        "number_1000000000000000": "[1000000000000000] 1000000000000000",
        "number_10000000000000000999": "[10000000000000000999] none",
        "number_1e-999": "[1E-999] none",
        "number_1e6": "[1E6] 1000000",
        "object_same_key_same_value": #"{"a":1,"a":1} none"#,
        "object_same_key_different_values": #"{"a":1,"a":2} none"#,
        "object_same_key_unclear_values": #"{"a":0,"a":-0} none"#,
        "string_1_escaped_invalid_codepoint": nil,
        "string_1_invalid_codepoint": nil,
        "string_2_escaped_invalid_codepoints": nil,
        "string_2_invalid_codepoints": nil,
        "string_3_escaped_invalid_codepoints": nil,
        "string_3_invalid_codepoints": nil,
        "string_with_escaped_NULL": #"["A\u0000B"] none"#,
    ]

    @Test(arguments: files("test_transform", prefix: ""))
    func transformsAsExpected(_ path: String) throws {
        let name = String(path.split(separator: "/").last?.dropLast(5) ?? "")
        guard let pinned = Self.transformed[name] else { return }
        let document = try? Self.document(path)
        let found = document.map { document in
            let text = JSONWriter.compact.text(of: document)
            return "\(text) \(document.root[0]?.int64?.description ?? "none")"
        }
        #expect(found == pinned)
    }
}
