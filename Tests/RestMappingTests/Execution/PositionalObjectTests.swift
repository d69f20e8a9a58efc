// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

private enum Plane {
    @Mapped struct Point: Equatable {
        @MappedKey("[0]") var x: Double
        @MappedKey("[1]") var y: Double
        @MappedKey("[3]") var label: String?
    }

    @Mapped struct Shape: Equatable {
        var center: Point?
        var corners: [Point] = []
        var byName: [String: Point] = [:]
    }

    @Mapped struct Tag: Equatable {
        @MappedKey("") var name: String
    }

    @Mapped struct Order: Equatable {
        var tags: [Tag] = []
        @MappedKey("lines.@count") var lineCount = 0
        @MappedKey("lines.@sum.price") var total: Decimal?
        @MappedKey("names[0]") var firstName: String?
    }

    @Mapped struct Invoice {
        var orders: [Order] = []
    }
}

/// Objects whose properties are elements of a list, values in place of objects, and operators, all
/// declared with the type.
@Suite struct PositionalObjectTests {
    private let shape = """
        {"center":[1.0,2.0],"corners":[[3.0,4.0,9,"c"],[5.0,6.0]],"byName":{"a":[7.0,8.0]}}
        """

    private let expected = Plane.Shape(
        center: Plane.Point(x: 1, y: 2),
        corners: [Plane.Point(x: 3, y: 4, label: "c"), Plane.Point(x: 5, y: 6)],
        byName: ["a": Plane.Point(x: 7, y: 8)])

    @Test func mapsElementsByPosition() throws {
        var report = MappingReport()
        #expect(try map(Plane.Shape.self, shape, report: &report) == [expected])
        #expect(report.issues.isEmpty)
        let root = try Document(parsing: "[1,2]").root
        let point = try MappingPlan(Plane.Point.self).object(Plane.Point.self, from: root)
        #expect(point == Plane.Point(x: 1, y: 2))
    }

    @Test func reportsElementOfWrongKindAtItsPosition() throws {
        var report = MappingReport()
        let lenient = ObjectMapping(for: Plane.Shape.self, policy: .lenient)
        let found = try map(
            Plane.Shape.self, #"{"corners":[[1,"x"],[1,2],[]]}"#, with: lenient, report: &report)
        #expect(found.first?.corners == [Plane.Point(x: 1, y: 2)])
        #expect(report.issues.first?.path == "corners[0][1]")
    }

    @Test func writesElementsByPosition() throws {
        let text = try RequestPlan(Plane.Shape.self).bytes(of: expected)
        #expect(
            String(decoding: text, as: UTF8.self) == """
                {"center":[1.0,2.0,null,null],"corners":[[3.0,4.0,null,"c"],[5.0,6.0,null,null]],\
                "byName":{"a":[7.0,8.0,null,null]}}
                """)
    }

    @Test func mapsAndWritesValuesInPlaceOfObjects() throws {
        let json = #"{"tags":["a","b"]}"#
        let order = try #require(try map(Plane.Order.self, json).first)
        #expect(order.tags.map(\.name) == ["a", "b"])
        let text = try RequestPlan(Plane.Order.self).bytes(of: order)
        #expect(String(decoding: text, as: UTF8.self) == json)
    }

    @Test func appliesOperatorsOfDeclaredKeys() throws {
        let json = #"{"lines":[{"price":"1.50"},{"price":2},{"price":null}],"names":["n"]}"#
        let order = try #require(try map(Plane.Order.self, json).first)
        #expect(order.lineCount == 3)
        #expect(order.total == Decimal(string: "3.5"))
        #expect(order.firstName == "n")
    }

    @Test func reportsValueThatOperatorCannotAdd() throws {
        var report = MappingReport()
        let json = #"{"orders":[{"lines":[{"price":"1.50"},{"price":"free"}]}]}"#
        let found = try map(Plane.Invoice.self, json, report: &report)
        #expect(found.first?.orders.map(\.total) == [nil])
        #expect(report.issues.map(\.code) == [.typeMismatch])
        #expect(report.issues.first?.property == "total")
    }
}

/// Values that are an identity or an object.
@Suite struct ExpandableTests {
    private struct Payment: Mapped, Equatable {
        var customer: Expandable<String, City>?
        var others: [Expandable<Int, City>] = []

        struct Draft: MappingDraft {
            private var customer: Expandable<String, City>?
            private var others: [Expandable<Int, City>]?

            init() {}

            init(editing subject: Payment) {
                customer = subject.customer
                others = subject.others
            }

            mutating func assign(
                _ property: Int, from source: ValueSource
            ) throws(MappingFailure) {
                switch property {
                case 0: try source.assign(nullable: &customer)
                case 1: try source.assign(&others)
                default: break
                }
            }

            consuming func finish() throws(MappingFailure) -> Payment {
                Payment(customer: customer, others: others ?? [])
            }
        }

        func write(
            _ property: Int, to writer: inout RequestWriter
        ) throws(MappingFailure) {
            switch property {
            case 0: try writer.write(customer)
            case 1: try writer.write(others)
            default: break
            }
        }

        static let properties = PropertyTable(
            Payment.self,
            [
                Property("customer", \Payment.customer, Expandable<String, City>?.self),
                Property("others", \Payment.others, [Expandable<Int, City>].self),
            ])
    }

    @Test(
        arguments: [
            (#"{"customer":"c1","others":[1,{"name":"a","founded":null}]}"#, "c1", nil),
            (#"{"customer":{"name":"b","founded":null},"others":[]}"#, nil, "b"),
        ] as [(String, String?, String?)])
    func keepsIdentityOrObject(json: String, identity: String?, name: String?) throws {
        var report = MappingReport()
        let payment = try #require(try map(Payment.self, json, report: &report).first)
        #expect(payment.customer?.identity == identity)
        #expect(payment.customer?.object?.name == name)
        #expect(report.issues.isEmpty)
        let text = try RequestPlan(Payment.self).bytes(of: payment)
        #expect(String(decoding: text, as: UTF8.self) == json)
    }

    @Test func reportsIdentityOfAnotherKind() throws {
        var report = MappingReport()
        let found = try map(Payment.self, #"{"customer":[1],"others":null}"#, report: &report)
        #expect(found.map(\.customer) == [nil])
        #expect(report.issues.map(\.path) == ["customer"])
    }
}
#endif
