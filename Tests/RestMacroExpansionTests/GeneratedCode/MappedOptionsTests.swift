// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
package import RestMapping
import TestSupport
import Testing

@Suite struct MappedOptionsTests {
    @Test func appliesKeyStyle() throws {
        #expect(sources(of: Snake.self) == ["published_at", "avatar_url_string", "id", "Given"])
        #expect(sources(of: Kebab.self) == ["published-at", "iso8601-date", "x"])
        #expect(sources(of: Pascal.self) == ["PublishedAt", "Id", "Default"])
        #expect(sources(of: SnakeChild.self) == ["published_at", "lastSeenAt"])
        let snake = try map(
            Snake.self, #"{"published_at":"p","avatar_url_string":"a","id":1,"Given":"g"}"#)
        #expect(snake.publishedAt == "p")
        #expect(snake.avatarURLString == "a")
        #expect(snake.id == 1)
        #expect(snake.given == "g")
    }

    @Test func convertsPropertiesByTransform() throws {
        let plain = try map(Label.self, #"{"title":"a","subtitle":"b","state":"new","at":3}"#)
        #expect(plain.title == "A")
        #expect(plain.subtitle == "B")
        #expect(plain.state == .unknown)
        #expect(plain.at.rawValue == 4)
        #expect(try map(Label.self, #"{"title":"a","subtitle":null,"at":1}"#).subtitle == nil)
        #expect(throws: MappingError.self) { try map(Label.self, #"{"title":1,"at":1}"#) }
    }

    @Test func convertsPropertiesByPredefinedTransform() throws {
        let label = try map(Label.self, #"{"title":"a","at":1,"link":"https://a.example/"}"#)
        #expect(label.link == URL(string: "https://a.example/"))
        #expect(try map(Label.self, #"{"title":"a","at":1,"link":null}"#).link == nil)
        #expect(throws: MappingError.self) {
            try map(Label.self, #"{"title":"a","at":1,"link":7}"#)
        }
    }

    @Test func prefersPolicyOfProperty() throws {
        let json = #"{"ids":[1,"x",3],"note":[]}"#
        let lenient = try map(Tolerant.self, json)
        #expect(lenient.ids == [1, 3])
        #expect(lenient.note == nil)
        #expect(throws: MappingError.self) { try map(Tolerant.self, #"{"ids":[],"strict":[]}"#) }
        var strict = AttributeMapping("ids", to: "ids")
        strict.policy = .strict
        var mapping = ObjectMapping(table: Tolerant.properties)
        mapping.add(strict)
        #expect(throws: MappingError.self) { try map(Tolerant.self, json, mapping) }
    }

    @Test func prefersTransformOfMapping() throws {
        let mapping = ObjectMapping(for: Label.self) {
            attribute("title", to: \.title, using: ValueTransform("any text") { _ in "mine" })
            attribute("other", to: \.subtitle)
            attribute("at", to: \.at)
        }
        let label = try map(Label.self, #"{"title":"a","other":"b","at":1}"#, mapping)
        #expect(label.title == "mine")
        #expect(label.subtitle == "B")
    }

    @Test func allowsPropertiesNamedLikeGeneratedMembers() throws {
        let json =
            #"{"properties":["a"],"finish":true,"assign":1,"update":2,"edited":3,"makeDraft":4,"#
            + #""relation":5,"map":6,"propertyCount":7,"mappedProperties":8,"Subject":9,"#
            + #""source":10,"property":11,"draft":12,"write":13,"value":14,"with":15}"#
        let structure = try map(GeneratedNames.self, json)
        #expect(structure.properties == ["a"])
        #expect(structure.finish)
        #expect(structure.matter.rawValue == "9")
        #expect(structure.numbers == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15])
        let object = try map(GeneratedNamesClass.self, json)
        #expect(object.properties == ["a"])
        #expect(object.finish)
        #expect(object.numbers == [1, 2, 3, 7, 8, 10, 11, 12, 13])
        #expect(GeneratedNames.properties.properties.first?.name == "properties")
    }

    @Test func allowsAnyDefaultExpression() throws {
        let defaults = try map(Defaults.self, "{}")
        #expect(defaults.choice == .none)
        #expect(defaults.sum == 3)
        #expect(defaults.size.width == 1)
        #expect(defaults.limit == Defaults.standard)
        #expect(defaults.cast == ["a"])
        #expect(try map(Defaults.self, #"{"choice":"some","sum":1}"#).choice == .some)
    }

    @Test func mapsTypesOfEveryAccessLevel() throws {
        let vault = try map(
            Vault.self, #"{"code":1,"hint":"h","shelves":[{"label":"l","box":{"size":2}}]}"#)
        #expect(vault.summary == "1 h l 2")
        #expect(Vault.properties.properties.map(\.name) == ["code", "hint", "shelves"])
    }

    @Test func recordsTypesOfProperties() throws {
        let types = Label.properties.properties.map(\.valueType)
        #expect(types[0] == String.self)
        #expect(types[1] == String?.self)
        #expect(types[2] == State.self)
        #expect(Property(name: "x").valueType == nil)
    }

    private func sources(of type: any Mapped.Type) -> [String] {
        type.properties.properties.map(\.source.description)
    }

    private func map<Subject: Mapped>(
        _ type: Subject.Type, _ json: String, _ mapping: ObjectMapping? = nil
    ) throws -> Subject {
        var report = MappingReport()
        return try MappingCompiler().compile(mapping ?? ObjectMapping(for: type, policy: .strict))
            .object(type, from: Document(parsing: Array(json.utf8)).root, report: &report)
    }
}

// MARK: - Mapped types

@Mapped(keys: .snakeCase) private struct Snake {
    var publishedAt: String
    var avatarURLString: String
    var id: Int
    @MappedKey("Given") var given: String
}

@Mapped(keys: .kebabCase) private struct Kebab {
    var publishedAt: String?
    var iso8601Date: String?
    var x: Int?
}

@Mapped(keys: .pascalCase) private struct Pascal {
    var publishedAt: String?
    var id: Int?
    var `default`: Int?
}

@Mapped(keys: .snakeCase) private class SnakeParent {
    var publishedAt: String?
}

@Mapped private final class SnakeChild: SnakeParent {
    var lastSeenAt: String?
}

private enum State: String, MappableValue {
    case open
    case unknown
}

private struct Moment: RawRepresentable, MappableValue {
    var rawValue: Int
}

extension ValueTransform where Value == String {
    fileprivate static var uppercase: ValueTransform {
        ValueTransform("text") { node in
            guard let text = node.string else { throw ConversionError() }
            return text.uppercased()
        }
    }
}

extension ValueTransform where Value == Moment {
    fileprivate static var moment: ValueTransform {
        ValueTransform("seconds") { node in Moment(rawValue: Int(node.int64 ?? 0) + 1) }
    }
}

private struct ConversionError: Error {}

@Mapped private struct Label {
    @MappedTransform(.uppercase) var title: String
    @MappedTransform(.uppercase) var subtitle: String?
    @MappedTransform(ValueTransform.unknown(as: State.unknown)) var state: State = .open
    @MappedTransform(.moment) var at: Moment
    @MappedTransform(AnyValueTransform.url) var link: URL?
}

@Mapped private struct Tolerant {
    @MappedPolicy(.lenient) var ids: [Int]
    @MappedPolicy(.standard) var note: String?
    var strict: Int?
}

/// A type with the name of an associated type of the draft's protocol.
private struct Subject: RawRepresentable, MappableValue {
    var rawValue: String
}

@Mapped private struct GeneratedNames {
    var properties: [String]
    var finish: Bool
    var assign: Int
    var update: Int
    var edited: Int
    var makeDraft: Int
    var relation: Int
    var map: Int
    var propertyCount: Int
    var mappedProperties: Int
    @MappedKey("Subject") var matter: Subject
    var source: Int
    var property: Int
    var draft: Int
    var write: Int
    var value: Int
    var with: Int

    var numbers: [Int] {
        [
            assign, update, edited, makeDraft, relation, map, propertyCount, mappedProperties,
            source, property, draft, write, value, with,
        ]
    }
}

@Mapped private class GeneratedNamesClass {
    var properties: [String]
    var finish: Bool
    let assign: Int
    var update: Int
    var edited: Int
    var propertyCount: Int
    var mappedProperties: Int
    var source: Int
    var property: Int
    var draft: Int
    var write: Int

    var numbers: [Int] {
        [
            assign, update, edited, propertyCount, mappedProperties, source, property,
            draft, write,
        ]
    }
}

@Mapped private struct Defaults {
    enum Choice: String, MappableValue {
        case none
        case some
    }

    static let standard = 7

    var choice: Choice = .none
    var sum: Int = 1 + 2
    var size: Size = Size(width: 1)
    var limit: Int = Self.standard
    var cast = ["a"] as [String]
}

@Mapped private struct Size {
    var width: Int
}

/// A type whose members have the narrowest access levels that compile.
@Mapped package struct Vault {
    private let code: Int
    fileprivate var hint: String?
    private var shelves: [Shelf] = []

    @Mapped fileprivate struct Shelf {
        private(set) var label: String
        internal var box: Box?
    }

    @Mapped fileprivate final class Box {
        private let size: Int
        var area: Int { size }
    }

    var summary: String {
        "\(code) \(hint ?? "") \(shelves.map { "\($0.label) \($0.box?.area ?? 0)" }.joined())"
    }
}
#endif
