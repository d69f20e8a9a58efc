// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct FoundationValuesTests {
    @Test(
        arguments: [
            ("131.3", "131.3"), (#""131.3""#, "131.3"), ("0.1", "0.1"), ("1e2", "100"),
            ("-12345678901234567890.123456789", "-12345678901234567890.123456789"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            ("123456.7890", "123456.789"), (#""123456.7890""#, "123456.789"), ("0.000", "0"),
            (#""187""#, "187"),
        ])
    func decimalsKeepAllDigits(json: String, expected: String) throws {
        #expect(try converted(json) == Decimal(string: expected))
    }

    @Test(arguments: [
        "12345678901234567890abc", "12345678901234567890,5", "12345678901234567890.5.5",
        "12345678901234567890e", "1.2.3", "", ".", "0x10",
    ]) func decimalsRejectPartialNumbers(text: String) throws {
        #expect(try conversionIssue(of: Decimal.self, "\"\(text)\"") == .malformedValue)
    }

    @Test func decimalsRejectLossOfDigits() throws {
        #expect(
            try conversionIssue(of: Decimal.self, "1" + String(repeating: "2", count: 39))
                == .outOfRange)
        #expect(try conversionIssue(of: Decimal.self, "1e200") == .outOfRange)
        #expect(try conversionIssue(of: Decimal.self, #""abdskjfsdkfjs""#) == .malformedValue)
    }

    @Test func convertsValidURLs() throws {
        #expect(try converted(#""http://restkit.org""#) == URL(string: "http://restkit.org"))
        #expect(try converted(#""http://restkit.org/""#) == URL(string: "http://restkit.org/"))
        #expect(try conversionIssue(of: URL.self, #"":*7vxck#sf#adsa""#) == .malformedValue)
        #expect(try conversionIssue(of: URL.self, "12345") == .typeMismatch)
    }

    @Test(arguments: [
        ("https://example.com/ä?q=ö#ß", "https://example.com/%C3%A4?q=%C3%B6#%C3%9F"),
        ("https://example.com/a%20ü", "https://example.com/a%20%C3%BC"),
        ("https://exämple.com", "https://xn--exmple-cua.com"),
        ("https://exämple.com:8080/日本", "https://xn--exmple-cua.com:8080/%E6%97%A5%E6%9C%AC"),
        ("/pfad/ü", "/pfad/%C3%BC"), ("mailto:ü@example.com", "mailto:%C3%BC@example.com"),
    ]) func encodesLettersOfURLsOutsideOfASCII(text: String, expected: String) throws {
        let url: URL? = try converted("\"\(text)\"")
        #expect(url?.absoluteString == expected)
    }

    @Test(arguments: [
        "https://example.com/ä b", "https://example.com/%zzü", "https://exämple .com/",
        "https://exämple.com:x/", "https://example.com/ä|", "ü:[", "https://example.com/a\u{2003}b",
    ]) func refusesURLsWithOtherMistakesBesideLetters(text: String) throws {
        #expect(try conversionIssue(of: URL.self, "\"\(text)\"") == .malformedValue)
    }

    @Test func convertsTextToUUIDsAndData() throws {
        let id = UUID()
        #expect(try converted("\"\(id.uuidString.lowercased())\"") == id)
        #expect(try conversionIssue(of: UUID.self, #""not one""#) == .malformedValue)
        #expect(try converted(#""AQID""#) == Data([1, 2, 3]))
        #expect(try conversionIssue(of: Data.self, #""***""#) == .malformedValue)
    }

    @Test func rejectsListsForSingleValues() throws {
        #expect(try conversionIssue(of: Decimal.self, "[1]") == .typeMismatch)
        #expect(try conversionIssue(of: Double.self, "[1]") == .typeMismatch)
        #expect(try conversionIssue(of: Date.self, "[1]") == .typeMismatch)
        #expect(try conversionIssue(of: Date.self, #"["1970-01-01T00:00:00Z"]"#) == .typeMismatch)
    }
}
