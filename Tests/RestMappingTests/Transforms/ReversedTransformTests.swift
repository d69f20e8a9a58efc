// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

private enum Prices {
    static let cents = AnyValueTransform("cents", between: Int.self, and: Decimal.self) { cents in
        Decimal(cents) / 100
    } back: { price in
        NSDecimalNumber(decimal: price * 100).intValue
    }

    static let typed = ValueTransform<Decimal>("typed cents") { node in
        Decimal(node.int64 ?? 0) / 100
    } back: { price in
        NSDecimalNumber(decimal: price * 100).int64Value
    }

    static let words = AnyValueTransform(
        "words", between: String.self, and: [String].self
    ) { text in
        text.split(separator: " ").map(String.init)
    } back: { words in
        words.joined(separator: " ")
    }

    static let loud = ValueTransform<String>("loud") { ($0.string ?? "").uppercased() }

    @Mapped struct Product: Equatable {
        @MappedTransform(Prices.cents) var price: Decimal
        @MappedTransform(Prices.cents) var discount: Decimal?
        @MappedTransform(Prices.typed) var fee: Decimal?
        @MappedTransform(AnyValueTransform.date(.milliseconds)) var soldAt: Date?
        @MappedTransform(Prices.words) var tags: [String]
        @MappedTransform(AnyValueTransform.numberString) var stock: Int
        @MappedTransform(AnyValueTransform.decimalNumber) var weight: Decimal?
        @MappedTransform(AnyValueTransform.url) var page: URL?
        @MappedTransform(Prices.loud) var name: String?
    }
}

/// Transforms in the direction of requests.
@Suite struct ReversedTransformTests {
    private let text = """
        {"price":1990,"discount":50,"fee":120,"soldAt":1500,"tags":"a b","stock":"12","weight":1.5,\
        "page":"http://a.b","name":"N"}
        """

    @Test func writesWhatDeclaredTransformsRead() throws {
        var report = MappingReport()
        let product = try #require(try map(Prices.Product.self, text, report: &report).first)
        #expect(report.issues.isEmpty)
        #expect(product.price == Decimal(string: "19.9"))
        #expect(product.soldAt == Date(timeIntervalSince1970: 1.5))
        #expect(product.tags == ["a", "b"])
        #expect(try json(product, by: RequestMapping(for: Prices.Product.self)) == text)
        #expect(
            try json(product, by: ObjectMapping(for: Prices.Product.self).inverse()) == text)
        let named = RequestMapping(for: Prices.Product.self) { attribute(\.price, to: "p") }
        #expect(try json(product, by: named) == #"{"p":1990}"#)
    }

    @Test func writesNilOfOptionalProperty() throws {
        let json = #"{"price":0,"tags":"","stock":"0"}"#
        let product = try #require(try map(Prices.Product.self, json).first)
        let written = try RequestPlan(Prices.Product.self).document(of: product)
        #expect(written.root["discount"]?.isNull == true)
        #expect(written.root["soldAt"]?.isNull == true)
    }

    @Test func writesWhatTransformsOfMappingRead() throws {
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("worth", to: \.worth, using: Prices.cents)
            attribute("born", to: \.birthday, using: DateFormat.seconds)
        }
        let json = #"{"worth":1990,"born":86400}"#
        let citizen = try #require(try map(Citizen.self, json, with: mapping).first)
        #expect(citizen.worth == Decimal(string: "19.9"))
        #expect(try RestMappingTests.json(citizen, by: mapping.inverse()) == json)
    }

    @Test func writesWhatTransformOfWholeMappingReads() throws {
        var mapping = ObjectMapping(for: Citizen.self, ["worth": "worth", "name": "name"])
        mapping.conversion.transform = Prices.cents
        let json = #"{"worth":1990,"name":"x"}"#
        let citizen = try #require(try map(Citizen.self, json, with: mapping).first)
        #expect(try RestMappingTests.json(citizen, by: mapping.inverse()) == json)
    }

    @Test func prefersTransformOfRequest() throws {
        let mapping = RequestMapping(for: Prices.Product.self) {
            attribute(\.price, to: "p", using: RequestTransform<Decimal>("text") { "\($0)" })
        }
        let product = try #require(try map(Prices.Product.self, text).first)
        #expect(try json(product, by: mapping) == #"{"p":"19.9"}"#)
    }

    @Test func reportsValueThatCannotBeConvertedBack() throws {
        let odd = AnyValueTransform("even", between: Int.self, and: Decimal.self) { number in
            Decimal(number)
        } back: { _ in
            nil
        }
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("worth", to: \.worth, using: odd)
        }
        let error = #expect(throws: MappingError.self) {
            try json(Citizen(worth: 1), by: mapping.inverse())
        }
        #expect(error?.issue?.code == .transformFailed)
        #expect(error?.path == "worth")
    }
}
#endif
