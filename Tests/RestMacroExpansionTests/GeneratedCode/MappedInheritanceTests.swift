// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
public import RestMapping
import TestSupport
import Testing

/// Classes with generated members.
enum GeneratedAnimals {
    @Mapped class Animal {
        let id: Int
        var name = "nameless"
        var owner: String?
    }

    /// A subclass with a constant, which needs an initializer of its own.
    @Mapped class Dog: Animal {
        let breed: String
        var tricks: [String] = []
        var friends: [Animal] = []
    }

    /// A subclass that inherits the initializer.
    @Mapped final class Puppy: Dog {
        var weeks = 0
        @MappedKey("mother.name") var mother: String?
    }
}

/// Classes with handwritten members that equal the generated ones.
enum HandwrittenAnimals {
    class Animal: Mapped {
        let id: Int
        var name = "nameless"
        var owner: String?

        init(finishing draft: Draft) throws(MappingFailure) {
            guard let id = draft.id else { throw .missing(property: 0) }
            self.id = id
            if let name = draft.name { self.name = name }
            owner = draft.owner ?? nil
        }

        func write(
            _ property: Int, to writer: inout RequestWriter
        ) throws(MappingFailure) {
            switch property {
            case 0: try writer.write(id)
            case 1: try writer.write(name)
            case 2: try writer.write(owner)
            default: break
            }
        }

        class var properties: PropertyTable {
            PropertyTable(Animal.self, Draft.properties(of: Animal.self))
        }

        class func makeDraft() -> Draft { Draft() }

        func makeDraft() -> Draft { Draft(editing: self) }

        class func finish(_ draft: Draft) throws(MappingFailure) -> Self {
            try draft.finish(as: Self.self)
        }

        class Draft: InheritableDraft {
            var id: Int?
            var name: String?
            var owner: String??
            private let subject: Animal?

            init() { subject = nil }

            init(editing subject: Animal) { self.subject = subject }

            static func properties<Subject: Animal>(of type: Subject.Type) -> [Property] {
                [
                    Property("id", \Subject.id, Int.self, isRequired: true),
                    Property("name", \Subject.name, String.self),
                    Property("owner", \Subject.owner, String?.self),
                ]
            }

            func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
                switch property {
                case 0: id = try source.read(Int.self)
                case 1: name = try source.read(String.self)
                case 2: owner = try source.read(String?.self)
                default: break
                }
            }

            func fill(_ animal: Animal) {
                if let name { animal.name = name }
                if let owner { animal.owner = owner }
            }

            func finish() throws(MappingFailure) -> Animal {
                let animal = if let subject { subject } else { try Animal(finishing: self) }
                fill(animal)
                return animal
            }
        }
    }

    class Dog: Animal {
        let breed: String
        var tricks: [String] = []
        var friends: [Animal] = []

        init(finishing draft: Draft) throws(MappingFailure) {
            guard let breed = draft.breed else { throw .missing(property: 3) }
            self.breed = breed
            try super.init(finishing: draft)
        }

        override func write(
            _ property: Int, to writer: inout RequestWriter
        ) throws(MappingFailure) {
            switch property {
            case 3: try writer.write(breed)
            case 4: try writer.write(tricks)
            case 5: try writer.write(friends)
            default: try super.write(property, to: &writer)
            }
        }

        override class var properties: PropertyTable {
            PropertyTable(Dog.self, Draft.properties(of: Dog.self))
        }

        override class func makeDraft() -> Draft { Draft() }

        override func makeDraft() -> Draft { Draft(editing: self) }

        class Draft: Animal.Draft {
            var breed: String?
            private var tricks: [String]?
            private var friends: [Animal]?
            private let subject: Dog?

            override init() {
                subject = nil
                super.init()
            }

            init(editing subject: Dog) {
                self.subject = subject
                super.init(editing: subject)
            }

            static func properties<Subject: Dog>(of type: Subject.Type) -> [Property] {
                Animal.Draft.properties(of: type) + [
                    Property("breed", \Subject.breed, String.self, isRequired: true),
                    Property("tricks", \Subject.tricks, [String].self),
                    Property("friends", \Subject.friends, [Animal].self),
                ]
            }

            override func assign(
                _ property: Int, from source: ValueSource
            ) throws(MappingFailure) {
                switch property {
                case 3: breed = try source.read(String.self)
                case 4: tricks = try source.read([String].self)
                case 5: friends = try source.read([Animal].self)
                default: try super.assign(property, from: source)
                }
            }

            func fill(_ dog: Dog) {
                super.fill(dog)
                if let tricks { dog.tricks = tricks }
                if let friends { dog.friends = friends }
            }

            override func finish() throws(MappingFailure) -> Dog {
                let dog = if let subject { subject } else { try Dog(finishing: self) }
                fill(dog)
                return dog
            }
        }
    }

    final class Puppy: Dog {
        var weeks = 0
        var mother: String?

        override func write(
            _ property: Int, to writer: inout RequestWriter
        ) throws(MappingFailure) {
            switch property {
            case 6: try writer.write(weeks)
            case 7: try writer.write(mother)
            default: try super.write(property, to: &writer)
            }
        }

        override class var properties: PropertyTable {
            PropertyTable(Puppy.self, Draft.properties(of: Puppy.self))
        }

        override class func makeDraft() -> Draft { Draft() }

        override func makeDraft() -> Draft { Draft(editing: self) }

        final class Draft: Dog.Draft {
            private var weeks: Int?
            private var mother: String??
            private let subject: Puppy?

            override init() {
                subject = nil
                super.init()
            }

            init(editing subject: Puppy) {
                self.subject = subject
                super.init(editing: subject)
            }

            static func properties(of type: Puppy.Type) -> [Property] {
                Dog.Draft.properties(of: type) + [
                    Property("weeks", \Puppy.weeks, Int.self),
                    Property("mother", \Puppy.mother, String?.self, source: "mother.name"),
                ]
            }

            override func assign(
                _ property: Int, from source: ValueSource
            ) throws(MappingFailure) {
                switch property {
                case 6: weeks = try source.read(Int.self)
                case 7: mother = try source.read(String?.self)
                default: try super.assign(property, from: source)
                }
            }

            override func finish() throws(MappingFailure) -> Puppy {
                let puppy = if let subject { subject } else { try Puppy(finishing: self) }
                super.fill(puppy)
                if let weeks { puppy.weeks = weeks }
                if let mother { puppy.mother = mother }
                return puppy
            }
        }
    }
}

@Suite struct MappedInheritanceTests {
    @Test func generatesEquivalentWriting() throws {
        let text = #"""
            {"id":1,"name":"Rex","owner":null,"breed":"Beagle","tricks":["sit"],"friends":[],\#
            "weeks":9,"mother":{"name":"Lassie"}}
            """#
        func written<Subject: Mapped>(_ type: Subject.Type) throws -> String {
            var report = MappingReport()
            let document = try Document(parsing: text)
            let object = try MappingPlan(type).object(type, from: document.root, report: &report)
            return String(decoding: try RequestPlan(type).bytes(of: object), as: UTF8.self)
        }
        #expect(try written(GeneratedAnimals.Puppy.self) == text)
        #expect(try written(HandwrittenAnimals.Puppy.self) == text)
    }

    static let documents = [
        #"{"id":1,"name":"a","owner":"b","breed":"c","tricks":["d"],"weeks":6,"mother":{"name":"e"}}"#,
        #"{"id":1,"breed":"c","friends":[{"id":2,"name":"f","breed":"not asked for"}]}"#,
        #"{"id":1}"#,
        #"{"breed":"c"}"#,
        #"{"id":"x","breed":[],"tricks":{}}"#,
        #"{"id":1,"breed":"c","name":null,"owner":null,"mother":{"name":null},"weeks":"7"}"#,
        #"{"id":1,"breed":"c","friends":[{"name":"no id"}]}"#,
        "[]",
    ]

    @Test(arguments: documents) func generatesEquivalentMapping(_ json: String) throws {
        try expectSame(GeneratedAnimals.Animal.self, HandwrittenAnimals.Animal.self, json)
        try expectSame(GeneratedAnimals.Dog.self, HandwrittenAnimals.Dog.self, json)
        try expectSame(GeneratedAnimals.Puppy.self, HandwrittenAnimals.Puppy.self, json)
    }

    @Test(arguments: documents) func generatesEquivalentUpdates(_ json: String) throws {
        let old =
            #"{"id":9,"name":"old","owner":"old","breed":"old","tricks":["old"],"weeks":9,"#
            + #""mother":{"name":"old"}}"#
        let generated = try map(GeneratedAnimals.Puppy.self, old)
        let written = try map(HandwrittenAnimals.Puppy.self, old)
        #expect(try outcome(updating: generated, json) == outcome(updating: written, json))
        #expect(generated.id == 9)
        #expect(generated.breed == "old")
    }

    @Test func listsPropertiesOfSuperclassesFirst() {
        let names = ["id", "name", "owner", "breed", "tricks", "friends", "weeks", "mother"]
        #expect(GeneratedAnimals.Animal.properties.properties.map(\.name) == names.dropLast(5))
        #expect(GeneratedAnimals.Puppy.properties.properties.map(\.name) == names)
        #expect(
            rows(of: GeneratedAnimals.Puppy.properties)
                == rows(of: HandwrittenAnimals.Puppy.properties)
        )
    }

    @Test func resolvesKeyPathsToInheritedProperties() throws {
        let puppy = GeneratedAnimals.Puppy.properties
        #expect(puppy.index(of: \GeneratedAnimals.Puppy.name) == 1)
        #expect(puppy.index(of: \GeneratedAnimals.Puppy.tricks) == 4)
        #expect(puppy.index(of: \GeneratedAnimals.Puppy.weeks) == 6)
        #expect(GeneratedAnimals.Dog.properties.index(of: \GeneratedAnimals.Dog.id) == 0)
        let mapping = ObjectMapping(for: GeneratedAnimals.Puppy.self) {
            attribute("number", to: \.id)
            attribute("kind", to: \.breed)
            attribute("called", to: \.name)
            attribute("age", to: \.weeks)
        }
        let object = try map(
            GeneratedAnimals.Puppy.self, #"{"number":1,"kind":"k","called":"c","age":2}"#, mapping)
        #expect(object.id == 1)
        #expect(object.breed == "k")
        #expect(object.name == "c")
        #expect(object.weeks == 2)
    }

    @Test func createsSubclassInstancesFromTable() throws {
        var report = MappingReport()
        let objects = try MappingPlan(GeneratedAnimals.Puppy.self).anyObjects(
            from: Document(parsing: Array(#"[{"id":1,"breed":"b","weeks":3}]"#.utf8)).root,
            report: &report)
        #expect((objects.first as? GeneratedAnimals.Puppy)?.weeks == 3)
    }

    @Test func updatesSubclassInstanceBySuperclassPlan() throws {
        let puppy = try map(GeneratedAnimals.Puppy.self, #"{"id":1,"breed":"b","weeks":3}"#)
        let animal: GeneratedAnimals.Animal = puppy
        var report = MappingReport()
        let same = try MappingPlan(GeneratedAnimals.Animal.self).object(
            updating: animal,
            from: Document(parsing: Array(#"{"name":"n","weeks":4}"#.utf8)).root, report: &report)
        #expect(same === puppy)
        #expect(puppy.name == "n")
        #expect(puppy.weeks == 3)
    }

    @Test func rejectsSubclassWithoutAttribute() throws {
        final class Stray: GeneratedAnimals.Animal {}
        #expect(throws: MappingError.self) { try map(Stray.self, #"{"id":1}"#) }
        let pack = #"{"strays":[{"id":1}]}"#
        let error = #expect(throws: MappingError.self) { try map(Pack<Stray>.self, pack) }
        #expect(error?.issue?.expected == "Stray to be mapped itself")
    }

    @Test func mapsGenericAndUnmappedSuperclasses() throws {
        let session = try map(Session<Int>.self, #"{"token":"t","payload":[1,2],"hops":3}"#)
        #expect(session.token == "t")
        #expect(session.payload == [1, 2])
        let secure = try map(SecureSession.self, #"{"payload":[true],"level":2}"#)
        #expect(secure.payload == [true])
        #expect(secure.level == 2)
        #expect(secure.token == "none")
        #expect(secure.createdBy == "system")
        #expect(SecureSession().token == "none")
        #expect(
            SecureSession.properties.index(of: \SecureSession.payload) == 1)
    }

    @Test func preservesEmptyInitializers() {
        #expect(Empty().count == 0)
        #expect(EmptyChild().count == 0)
    }

    // MARK: Comparison

    private func expectSame<Generated: Mapped, Handwritten: Mapped>(
        _ generated: Generated.Type, _ written: Handwritten.Type, _ json: String
    ) throws {
        let expected = try outcome(json) { try map(written, json, report: &$0) }
        #expect(try outcome(json) { try map(generated, json, report: &$0) } == expected)
    }

    private func outcome<Subject: Mapped>(
        updating subject: Subject, _ json: String
    ) throws -> [String] {
        try outcome(json) { report in
            try MappingPlan(Subject.self).object(
                updating: subject, from: Document(parsing: Array(json.utf8)).root, report: &report)
        }
    }

    /// Returns the values or the error, and the reported issues.
    private func outcome(
        _ json: String, _ run: (inout MappingReport) throws -> Any
    ) throws -> [String] {
        var report = MappingReport()
        let values: String
        do {
            values = text(of: try run(&report))
        } catch let error as MappingError {
            values = "\(error)"
        }
        return [values] + report.issues.map(\.description)
    }

    private func text(of value: Any) -> String {
        var mirror: Mirror? = Mirror(reflecting: value)
        var parts: [String] = []
        while let level = mirror {
            parts = level.children.map { "\($0.label ?? ""):\(text(of: $0.value))" } + parts
            mirror = level.superclassMirror
        }
        return parts.isEmpty ? "\(value)" : "(\(parts.joined(separator: " ")))"
    }

    private func rows(of table: PropertyTable) -> [String] {
        table.properties.map {
            let relation = $0.relation.map { "\($0.table.name) \($0.isToMany)" } ?? "none"
            return "\($0.name) \($0.source) \($0.isRequired) \(relation)"
        }
    }

    private func map<Subject: Mapped>(
        _ type: Subject.Type, _ json: String, _ mapping: ObjectMapping? = nil
    ) throws -> Subject {
        var report = MappingReport()
        return try map(type, json, mapping, report: &report)
    }

    private func map<Subject: Mapped>(
        _ type: Subject.Type, _ json: String, _ mapping: ObjectMapping? = nil,
        report: inout MappingReport
    ) throws -> Subject {
        try MappingCompiler().compile(mapping ?? ObjectMapping(for: type)).object(
            type, from: Document(parsing: Array(json.utf8)).root, report: &report)
    }
}

// MARK: - Mapped types

private class System {
    var createdBy = "system"
}

@Mapped private class Session<Payload: MappableValue>: System {
    var token = "none"
    var payload: [Payload] = []
    @MappedIgnored var hops = 0

    override init() { super.init() }
}

@Mapped private final class SecureSession: Session<Bool> {
    var level = 0
    var note: String?
}

@Mapped private class Empty {
    var count = 0
}

@Mapped private class EmptyChild: Empty, CustomStringConvertible {
    @MappedIgnored let description = "child"

    var name: String?
}

@Mapped private struct Pack<Member: Mapped> {
    var strays: [Member]
}

/// An open class, whose generated members must be open.
@Mapped open class Vehicle {
    /// The number of wheels.
    public var wheels = 4
    /// The weight in kilograms.
    fileprivate var weight: Double?
}

/// A public subclass, which overrides open members.
@Mapped public class Bicycle: Vehicle {
    /// A Boolean value that indicates whether the bicycle has a bell.
    public let hasBell: Bool
}

@Mapped package final class Tandem: Bicycle {
    package var seats = 2
}
#endif
