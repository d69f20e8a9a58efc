// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct CodableMappingTests {
    struct Settings: MappableCodable, Hashable {
        var theme: String
        var fontSizes: [Int]
    }

    /// A mapped type that also decodes itself.
    struct Tag: Mapped, Codable, Hashable {
        var name: String

        struct Draft: MappingDraft {
            private var name: String?

            init() {}

            init(editing subject: Tag) { name = subject.name }

            mutating func assign(
                _ property: Int, from source: ValueSource
            ) throws(MappingFailure) {
                if property == 0 { try source.assign(&name) }
            }

            consuming func finish() throws(MappingFailure) -> Tag {
                guard let name else { throw .missing(property: 0) }
                return Tag(name: name)
            }
        }

        init(name: String) { self.name = name }

        init(from decoder: any Decoder) throws {
            name = try "#" + decoder.singleValueContainer().decode(String.self)
        }

        func write(
            _ property: Int, to writer: inout RequestWriter
        ) throws(MappingFailure) {
            if property == 0 { try writer.write(name) }
        }

        static var properties: PropertyTable {
            PropertyTable(Tag.self, [Property("name", \Tag.name, String.self, isRequired: true)])
        }
    }

    private let text = #"{"value":{"theme":"dark","fontSizes":[1,2]}}"#
    private let settings = Settings(theme: "dark", fontSizes: [1, 2])

    private var snakeCase: CodableMapping {
        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var encoder = DocumentEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return CodableMapping(for: Settings.self, decoder: decoder, encoder: encoder)
    }

    @Test func decodesAndEncodesProperty() throws {
        let holders = try map(Holder<Settings>.self, text)
        #expect(holders.first?.value == settings)
        let written = try json(ofValue: settings)
        #expect(try Document(parsing: written) == Document(parsing: text))
    }

    @Test func mapsListsAndDictionariesOfCodableValues() throws {
        let list = #"{"value":[{"theme":"a","fontSizes":[]},{"theme":"b","fontSizes":[3]}]}"#
        let expected = [
            Settings(theme: "a", fontSizes: []), Settings(theme: "b", fontSizes: [3]),
        ]
        #expect(try map(Holder<[Settings]>.self, list).first?.value == expected)
        let object = #"{"value":{"x":{"theme":"a","fontSizes":[]}}}"#
        let named = try map(Holder<[String: Settings]>.self, object).first?.value
        #expect(named == ["x": expected[0]])
    }

    @Test func usesCoderOfRelationshipMapping() throws {
        let mapping = ObjectMapping(for: Holder<[Settings]>.self) {
            relationship("list", to: \.value, mapping: snakeCase)
        }
        let json = #"{"list":[{"theme":"a","font_sizes":[7]}]}"#
        let holders = try map(Holder<[Settings]>.self, json, with: mapping)
        #expect(holders.first?.value == [Settings(theme: "a", fontSizes: [7])])
        let plan = try RequestPlan(mapping.inverse())
        #expect(
            try String(decoding: plan.bytes(of: #require(holders.first)), as: UTF8.self) == json)
    }

    @Test(arguments: [
        (#"{"theme":"dark","fontSizes":[1,"x"]}"#, "value.fontSizes[1]", "typeMismatch", "string"),
        (#"{"theme":null,"fontSizes":[]}"#, "value.theme", "nullValue", "null"),
        (#"{"theme":"dark"}"#, "value", "missingValue", "nothing"),
    ])
    func reportsPathInsideRejectedValue(
        value: String, path: String, code: String, found: String
    ) throws {
        let error = #expect(throws: MappingError.self) {
            try map(Holder<Settings>.self, #"{"value":\#(value)}"#)
        }
        #expect(error?.path == DocumentPath(stringLiteral: path))
        #expect(error?.issue?.code.rawValue == code)
        #expect(error?.issue?.found == found)
    }

    @Test func namesMissingKey() throws {
        let error = #expect(throws: MappingError.self) {
            try map(Holder<Settings>.self, #"{"value":{"theme":"dark"}}"#)
        }
        #expect(error?.issue?.expected == "a value at 'fontSizes'")
    }

    @Test func dropsRejectedElementUnderLenientPolicy() throws {
        let json = #"{"value":[{"theme":1},{"theme":"b","fontSizes":[3]}]}"#
        var report = MappingReport()
        let holders = try map(
            Holder<[Settings]>.self, json,
            with: ObjectMapping(for: Holder<[Settings]>.self, policy: .lenient), report: &report)
        #expect(holders.first?.value == [Settings(theme: "b", fontSizes: [3])])
        #expect(report.issues.map(\.path) == ["value[0].theme"])
        #expect(report.droppedObjectCount == 1)
    }

    // MARK: Null in lists

    /// A type that accepts null itself.
    struct Anything: MappableCodable, Hashable {
        var isNull: Bool

        init(isNull: Bool) { self.isNull = isNull }

        init(from decoder: any Decoder) throws {
            isNull = try decoder.singleValueContainer().decodeNil()
        }

        func encode(to encoder: any Encoder) throws {}
    }

    struct Lists: MappableCodable, Hashable {
        var numbers: [Int]?
        var texts: Set<String>?
        var named: [String: Double]?
        var optional: [Int?]?
        var nested: [[Int]]?
        var settings: ContiguousArray<Settings>?
        var anything: [Anything]?
        var required: [Bool] = []

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            numbers = try members.decodeIfPresent([Int].self, forKey: .numbers)
            texts = try members.decodeIfPresent(Set<String>.self, forKey: .texts)
            named = try members.decodeIfPresent([String: Double].self, forKey: .named)
            optional = try members.decodeIfPresent([Int?].self, forKey: .optional)
            nested = try members.decodeIfPresent([[Int]].self, forKey: .nested)
            settings = try members.decodeIfPresent(
                ContiguousArray<Settings>.self, forKey: .settings)
            anything = try members.decodeIfPresent([Anything].self, forKey: .anything)
            // Of a value that cannot be decoded, nothing is reported.
            required = (try? members.decode([Bool].self, forKey: .required)) ?? [false]
        }

        init() {}
    }

    struct NullCase: Sendable, CustomTestStringConvertible {
        let json: String
        let expected: Lists
        var paths: [DocumentPath] = []
        var droppedObjects = 0

        init(
            _ json: String, _ paths: [DocumentPath] = [], droppedObjects: Int = 0,
            _ set: (inout Lists) -> Void
        ) {
            var expected = Lists()
            expected.required = [false]
            set(&expected)
            self.json = json
            self.expected = expected
            self.paths = paths
            self.droppedObjects = droppedObjects
        }

        var testDescription: String { json }
    }

    static let nullCases = [
        NullCase(#"{"numbers":[1,null,2,null]}"#, ["value.numbers[1]", "value.numbers[3]"]) {
            $0.numbers = [1, 2]
        },
        NullCase(#"{"numbers":[null]}"#, ["value.numbers[0]"]) { $0.numbers = [] },
        NullCase(#"{"texts":["a",null]}"#, ["value.texts[1]"]) { $0.texts = ["a"] },
        NullCase(#"{"named":{"a":1,"b":null}}"#, ["value.named.b"]) { $0.named = ["a": 1] },
        NullCase(#"{"optional":[1,null]}"#) { $0.optional = [1, nil] },
        // Null in place of a list is an empty one, also within a list.
        NullCase(#"{"nested":[[1,null],null]}"#, ["value.nested[0][1]"]) {
            $0.nested = [[1], []]
        },
        NullCase(
            #"{"settings":[null,{"theme":"a","fontSizes":[null]}]}"#,
            ["value.settings[0]", "value.settings[1].fontSizes[0]"], droppedObjects: 1
        ) { $0.settings = [Settings(theme: "a", fontSizes: [])] },
        NullCase(#"{"anything":[null,1]}"#) {
            $0.anything = [Anything(isNull: true), Anything(isNull: false)]
        },
        NullCase(#"{"required":[true,null]}"#, ["value.required[1]"]) { $0.required = [true] },
        NullCase(#"{"required":[null,"x",null]}"#) { _ in },
        NullCase(#"{"required":null}"#) { $0.required = [] },
        NullCase(#"{"numbers":null,"named":null}"#) { _ in },
    ]

    @Test(arguments: nullCases) func leavesOutNullElements(_ nulls: NullCase) throws {
        var report = MappingReport()
        let holders = try map(
            Holder<Lists>.self, #"{"value":\#(nulls.json)}"#, with: nil, report: &report)
        #expect(holders.first?.value == nulls.expected)
        #expect(report.issues.map(\.path) == nulls.paths)
        #expect(report.issues.allSatisfy { $0.code == .nullValue })
        #expect(report.droppedObjectCount == nulls.droppedObjects)
    }

    @Test func nullElementFailsObjectUnderStrictPolicy() throws {
        let error = #expect(throws: MappingError.self) {
            try map(
                Holder<Settings>.self, #"{"value":{"theme":"a","fontSizes":[1,null]}}"#,
                with: ObjectMapping(for: Holder<Settings>.self) {
                    relationship(
                        "value", to: \.value,
                        mapping: CodableMapping(for: Settings.self, policy: .strict))
                })
        }
        #expect(error?.path == "value.fontSizes[1]")
        #expect(error?.issue?.code == .nullValue)
    }

    /// A decoder of its own is like Foundation's.
    @Test func decoderAloneRefusesNullElements() throws {
        let document = try Document(parsing: #"{"theme":"a","fontSizes":[1,null]}"#)
        #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Settings.self, from: document)
        }
    }

    @Test func reportsPathInsideUnencodableValue() throws {
        struct Sizes: MappableCodable { var sizes: [Double] }
        let plan = try RequestPlan(Holder<Sizes>.self)
        let error = #expect(throws: MappingError.self) {
            try plan.bytes(of: Holder(value: Sizes(sizes: [1, .nan])))
        }
        #expect(error?.path == "value.sizes[1]")
    }

    @Test func decodesMappedTypeByCodableMapping() throws {
        let mapping = ObjectMapping(for: Holder<[Tag]>.self) {
            relationship("value", to: \.value, mapping: CodableMapping(for: Tag.self))
        }
        let holders = try map(Holder<[Tag]>.self, #"{"value":["a","b"]}"#, with: mapping)
        #expect(holders.first?.value == [Tag(name: "#a"), Tag(name: "#b")])
    }

    @Test func diagnosesMappingOfAnotherType() {
        let mapping = ObjectMapping(for: Holder<Settings>.self) {
            relationship("value", to: \.value, mapping: CodableMapping(for: Tag.self))
        }
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(error?.diagnostics.map(\.code) == [.wrongSubject])
        let request = #expect(throws: MappingError.self) {
            var mapping = RequestMapping(table: Holder<Settings>.properties)
            mapping.add(
                RequestRelationship(
                    "value", to: "value", mapping: .codable(CodableMapping(for: Tag.self))))
            return try RequestPlan(mapping)
        }
        #expect(request?.diagnostics.map(\.code) == [.wrongSubject])
    }

    @Test func mapsAnyDecodableType() throws {
        struct Reading: Decodable, Hashable { var at: Int }
        let plan = try MappingCompiler().compile(CodableMapping(for: Reading.self))
        var report = MappingReport()
        let list = try Document(parsing: #"[{"at":1},{"at":2}]"#)
        let objects = try plan.anyObjects(from: list.root, report: &report)
        #expect(objects as? [Reading] == [Reading(at: 1), Reading(at: 2)])
        #expect(report.objectCount == 2)
        let wrong = try Document(parsing: #"[{"at":1},{"at":{}}]"#)
        let error = #expect(throws: MappingError.self) {
            try plan.anyObjects(from: wrong.root, report: &report)
        }
        #expect(error?.path == "[1].at")
    }

    @Test func mapsCodableAndObjectMappingsInOneOperation() throws {
        let operation = try MapperOperation([
            "settings": .codable(snakeCase), "people": .object(ObjectMapping(for: Person.self)),
        ])
        let document = try Document(
            parsing: #"{"people":[{"id":1,"name":"a"}],"settings":{"theme":"b","font_sizes":[]}}"#)
        let result = try operation.run(document.root)
        #expect(result.objects(of: Settings.self) == [Settings(theme: "b", fontSizes: [])])
        #expect(result.objects(of: Person.self).map(\.id) == [1])
        let filled = #expect(throws: MappingError.self) {
            try MapperOperation(["settings": .codable(snakeCase)])
                .run(document.root, target: Tag(name: "x"))
        }
        #expect(filled?.code == .wrongSubject)
    }

    @Test func mapsDictionaryOfCodableValues() throws {
        let document = try Document(parsing: #"{"a":{"theme":"b","fontSizes":[]}}"#)
        var report = MappingReport()
        let plan = try MappingCompiler().compile(CodableMapping(for: Settings.self))
        let values = try plan.value(
            [String: Settings].self, from: document.root, report: &report)
        #expect(values == ["a": Settings(theme: "b", fontSizes: [])])
        let error = #expect(throws: MappingError.self) {
            try plan.value([Tag].self, from: document.root, report: &report)
        }
        #expect(error?.code == .wrongSubject)
    }

    @Test func refusesToUpdateCodableObject() throws {
        let plan = try MappingCompiler().compile(CodableMapping(for: Tag.self))
        var report = MappingReport()
        let document = try Document(parsing: #""x""#)
        #expect(
            try plan.object(Tag.self, from: document.root, report: &report) == Tag(name: "#x"))
        let error = #expect(throws: MappingError.self) {
            try plan.object(updating: Tag(name: "a"), from: document.root, report: &report)
        }
        #expect(error?.code == .wrongSubject)
    }

    @Test func decodesAttributeByTransform() throws {
        let mapping = ObjectMapping(for: Holder<Settings>.self) {
            attribute(
                "value", to: \.value,
                using: ValueTransform<Settings?>.codable(snakeCase.decoder))
        }
        var report = MappingReport()
        let json = #"{"value":{"theme":"a","font_sizes":7}}"#
        let holders = try map(Holder<Settings>.self, json, with: mapping, report: &report)
        #expect(holders.count == 1 && holders.first?.value == nil)
        #expect(report.issues.map(\.path) == ["value.font_sizes"])
    }
}
