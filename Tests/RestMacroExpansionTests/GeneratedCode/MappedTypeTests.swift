// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
public import RestMapping
import TestSupport
import Testing

@Suite struct MappedTypeTests {
    @Test func resolvesNestedTypes() throws {
        let order = try map(
            Shop.Order.self,
            #"""
            {"number":7,"state":"shipped","lines":[{"sku":"a","count":2},{"sku":"b"}],
            "byRegion":{"eu":{"sku":"c","count":1}},"placedAt":"2020-02-01T00:00:00Z",
            "aliases":["x","x"],"ratio":0.5,"meta":{"a":[1,2]}}
            """#)
        #expect(order.number == 7)
        #expect(order.state == .shipped)
        #expect(order.lines.map(\.sku) == ["a", "b"])
        #expect(order.lines.map(\.count) == [2, 1])
        #expect(order.byRegion?["eu"]?.sku == "c")
        #expect(order.placedAt == Date(timeIntervalSince1970: 1_580_515_200))
        #expect(order.aliases == ["x"])
        #expect(order.ratio == 0.5)
        #expect(order.meta == ["a": [1, 2]])
    }

    @Test func infersTypeFromInitializerCall() throws {
        let given = try map(Basket.self, #"{"line":{"sku":"a"},"tags":["x"],"counts":{"y":1}}"#)
        #expect(given.line.sku == "a")
        #expect(given.tags == ["x"])
        #expect(given.counts == ["y": 1])
        let absent = try map(Basket.self, #"{"tags":[]}"#)
        #expect(absent.line.sku == "none")
        #expect(absent.counts.isEmpty)
    }

    @Test func preservesMemberwiseInitializer() {
        let line = Shop.Line(sku: "a")
        #expect(line.count == 1)
    }

    @Test func mapsGenericTypes() throws {
        let page = try map(Page<Shop.Line>.self, #"{"items":[{"sku":"a"}],"next":"/2"}"#)
        #expect(page.items.first?.sku == "a")
        #expect(page.next == "/2")
        let numbers = try map(Page<Int>.self, #"{"items":[1,2]}"#)
        #expect(numbers.items == [1, 2])
        #expect(numbers.next == nil)
    }

    @Test func allowsAnyPropertyName() throws {
        let json = #"""
            {"default":1,"subject":"s","draft":"d","edited":true,"source":"o","property":"p",
            "self":"me","first":1,"second":2}
            """#
        for names in [
            try map(Names.self, json), try updated(Names(), json),
        ] {
            #expect(names.default == 1)
            #expect(names.subject == "s")
            #expect(names.draft == "d")
            #expect(names.edited)
            #expect(names.source == "o")
            #expect(names.property == "p")
            #expect(names.first == 1)
            #expect(names.second == 2)
        }
        let built = try map(ConstantNames.self, json)
        #expect(built.subject == "s")
        #expect(built.draft == "d")
        #expect(built.edited)
        let same = try updated(built, #"{"subject":"t"}"#)
        #expect(same === built)
        #expect(same.subject == "t")
    }

    @Test func updatesClassInstanceInPlace() throws {
        let account = Account()
        account.nickname = "old"
        account.visits = 3
        let same = try updated(account, #"{"id":5,"nickname":null}"#)
        #expect(same === account)
        #expect(account.id == 5)
        #expect(account.nickname == nil)
        #expect(account.visits == 3)
        #expect(account.observedChanges == 1)
    }

    @Test func keepsInstanceWhenUpdateFails() throws {
        let account = Account()
        #expect(throws: MappingError.self) {
            try updated(account, #"{"id":5,"visits":[]}"#, policy: .strict)
        }
        #expect(account.id == 0)
        #expect(account.observedChanges == 0)
    }

    @Test func keepsConstantsWhenUpdatingClass() throws {
        let reading = try map(Reading.self, #"{"sensor":"a","value":1}"#)
        let same = try updated(reading, #"{"sensor":"b","value":2}"#)
        #expect(same === reading)
        #expect(reading.sensor == "a")
        #expect(reading.value == 2)
    }

    @Test func keepsDefaultsOfUnmappedSuperclass() throws {
        let sensor = try map(Sensor.self, #"{"id":4,"label":"north"}"#)
        #expect(sensor.id == 4)
        #expect(sensor.label == "north")
        #expect(sensor.createdBy == "system")
    }

    @Test func preservesIgnoredProperties() throws {
        let json = #"{"title":"new","isSelected":false,"version":9,"origin":"x"}"#
        let fresh = try map(Row.self, json)
        #expect(!fresh.isSelected)
        #expect(fresh.version == 1)
        #expect(fresh.origin == nil)
        let row = Row(title: "old", isSelected: true, origin: "disk")
        let edited = try updated(row, json)
        #expect(edited.title == "new")
        #expect(edited.isSelected)
        #expect(edited.origin == "disk")
        #expect(Row.properties.properties.map(\.name) == ["title"])
    }

    @Test func mapsOnlyStoredInstanceProperties() throws {
        let names = Mixed.properties.properties.map(\.name)
        #expect(names == ["width", "height", "title"])
        let mixed = try map(
            Mixed.self, #"{"width":2,"height":3,"title":"t","area":9,"lazyArea":9}"#)
        #expect(mixed.area == 6)
        #expect(mixed.title == "t")
    }

    @Test func readsSourceKeyPaths() throws {
        let place = try map(
            Place.self, #"{"address":{"city.name":"Oslo","lines":["a","b"]},"code":1}"#)
        #expect(place.city == "Oslo")
        #expect(place.secondLine == "b")
    }

    @Test func copiesWithChanges() {
        let line = Shop.Line(sku: "a").with { $0.count = 5 }
        #expect(line.count == 5)
    }

    // MARK: Mapping

    private func map<Subject: Mapped>(_ type: Subject.Type, _ json: String) throws -> Subject {
        var report = MappingReport()
        let object = try MappingPlan(type).object(
            type, from: Document(parsing: Array(json.utf8)).root, report: &report)
        #expect(report.issues.isEmpty)
        return object
    }

    @discardableResult
    private func updated<Subject: Mapped>(
        _ subject: Subject, _ json: String, policy: IssuePolicy = .standard
    ) throws -> Subject {
        var report = MappingReport()
        let mapping = ObjectMapping(defaultFor: Subject.properties, policy: policy)
        return try MappingCompiler().compile(mapping).object(
            updating: subject, from: Document(parsing: Array(json.utf8)).root, report: &report)
    }
}

// MARK: - Mapped types

private enum Shop {
    enum State: String, MappableValue {
        case open
        case shipped
    }

    @Mapped struct Order {
        let number: Int
        let state: State
        let lines: [Line]
        let byRegion: [String: Line]?
        let placedAt: Date
        let aliases: Set<String>
        let ratio: Double
        let meta: [String: [Int]]
    }

    @Mapped struct Line {
        let sku: String
        var count = 1
    }
}

/// A public type, whose generated members must be public.
@Mapped public struct Page<Item: MappableValue> {
    /// The items of the page.
    public var items: [Item]
    /// The address of the next page.
    public var next: String?
}

extension Page {
    /// A type in an extension of a generic type, which cannot have static storage.
    @Mapped public struct Cursor {
        /// The offset of the next item.
        public let position: Int
    }
}

@Mapped private struct Names {
    var `default` = 0
    var subject: String?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var draft: String!
    var edited = false
    var source: String?, property: String?
    var first, second: Int?
}

@Mapped private final class ConstantNames {
    let draft: String
    let edited: Bool
    var subject: String
}

@Mapped private final class Account {
    var id = 0 { didSet { observedChanges += 1 } }
    var nickname: String?
    var visits = 0
    @MappedIgnored var observedChanges = 0
}

@Mapped private final class Reading {
    let sensor: String
    var value: Double
    var note: String?

    init(sensor: String, value: Double) {
        self.sensor = sensor
        self.value = value
    }
}

private class Record {
    var createdBy = "system"
}

@Mapped private final class Sensor: Record {
    let id: Int
    var label = ""
}

@Mapped private struct Row {
    var title: String
    @MappedIgnored var isSelected = false
    @MappedIgnored let version = 1
    @MappedIgnored let origin: String?
}

@Mapped private struct Mixed {
    static let unit = 1
    static var shared: Int { 3 }
    var width, height: Int
    var area: Int { width * height }
    lazy var lazyArea = width * height
    var title = "" { didSet {} }
    var shout: String {
        get { title.uppercased() }
        set { title = newValue }
    }
}

@Mapped private struct Place {
    @MappedKey(#"address.city\.name"#) let city: String
    @MappedKey("address.lines[1]") var secondLine: String?
}

/// A type whose properties have the types that their initial values name.
@Mapped private struct Basket {
    var line = Shop.Line(sku: "none")
    var tags = [String]()
    var counts = [String: Int]()
}
#endif
