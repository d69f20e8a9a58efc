// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

/// Tests of transforms that consist of the two functions of a Foundation formatter.
@Suite struct AnyValueTransformTests {
    private let currency = AnyValueTransform("currency", between: String.self, and: Double.self) {
        text in
        Self.currencyFormatter.number(from: text)?.doubleValue
    } back: { number in
        Self.currencyFormatter.string(from: NSNumber(value: number))
    }

    private let day = AnyValueTransform("full date", between: String.self, and: Date.self) { text in
        Self.dayFormatter.date(from: text)
    } back: { date in
        Self.dayFormatter.string(from: date)
    }

    private static var currencyFormatter: NumberFormatter {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = Locale(identifier: "en_US")
        return formatter
    }

    private static var dayFormatter: DateFormatter {
        let formatter = DateFormatter()
        formatter.dateStyle = .full
        formatter.timeZone = .gmt
        formatter.locale = Locale(identifier: "en_US_POSIX")
        return formatter
    }

    @Test(.parity("M165", "M166")) func convertsByNumberFormatter() {
        #expect(currency.canTransform(from: String.self, to: Double.self))
        #expect(currency.canTransform(from: Double.self, to: String.self))
        #expect(!currency.canTransform(from: URL.self, to: String.self))
    }

    @Test(.parity("M167", "M168")) func writesAndReadsCurrency() throws {
        let text = "$932,480,932,840,923.00"
        #expect(try currency.transform(932_480_932_840_923.0, as: String.self) == text)
        #expect(try currency.transform(text, as: Double.self) == 932_480_932_840_923)
    }

    @Test(.parity("M169", "M170", "M171")) func numberFormatterRejectsOtherConversions() {
        expectFailure(.inputNotAcceptable, of: currency, [1.0], to: Double.self)
        expectFailure(.failed, of: currency, invalidText, to: Double.self)
        expectFailure(.outputNotSupported, of: currency, 1.0, to: Data.self)
        expectFailure(.outputNotSupported, of: currency, "$1.00", to: Data.self)
    }

    @Test(.parity("M172", "M173")) func convertsByDateFormatter() {
        #expect(day.canTransform(from: String.self, to: Date.self))
        #expect(day.canTransform(from: Date.self, to: String.self))
        #expect(!day.canTransform(from: URL.self, to: String.self))
    }

    @Test(.parity("M174", "M175")) func dateFormatterWritesAndReadsDays() throws {
        let epoch = Date(timeIntervalSince1970: 0)
        #expect(try day.transform(epoch, as: String.self) == "Thursday, January 1, 1970")
        #expect(try day.transform("Thursday, January 1, 1970", as: Date.self) == epoch)
    }

    /// A pattern of the library needs no formatter.
    @Test func patternWritesAndReadsDays() throws {
        let pattern = AnyValueTransform.date(try DateFormat("EEEE, MMMM d, y"))
        let epoch = Date(timeIntervalSince1970: 0)
        #expect(try pattern.transform(epoch, as: String.self) == "Thursday, January 1, 1970")
        #expect(try pattern.transform("Thursday, January 1, 1970", as: Date.self) == epoch)
        expectFailure(.inputNotAcceptable, of: pattern, ["x"], to: Date.self)
        expectFailure(.failed, of: pattern, invalidText, to: Date.self)
        expectFailure(.outputNotSupported, of: pattern, epoch, to: Data.self)
    }

    @Test(.parity("M176", "M177", "M178")) func dateFormatterRejectsOtherConversions() {
        expectFailure(.inputNotAcceptable, of: day, ["x"], to: Date.self)
        expectFailure(.failed, of: day, invalidText, to: Date.self)
        expectFailure(.outputNotSupported, of: day, Date(), to: Data.self)
    }
}
