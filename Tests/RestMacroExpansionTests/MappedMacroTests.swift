// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct MappedMacroTests {
    @Test func expandsStructure() {
        expectExpansion(
            of: """
                @Mapped public struct Article {
                    let id: Int
                    @MappedKey("publication_date") var publishedAt: Date?
                    var tags: [String] = []
                }
                """,
            to: #"""
                public struct Article {
                    let id: Int
                    var publishedAt: Date?
                    var tags: [String] = []

                    nonisolated public static let properties: RestMapping.PropertyTable = RestMapping.PropertyTable(Article.self, [
                        RestMapping.Property(required: "id", unsafe RestMapping.Property.path(toStored: \Article.id), Int.self),
                        RestMapping.Property("publishedAt", unsafe RestMapping.Property.path(toStored: \Article.publishedAt), Date?.self, source: "publication_date"),
                        RestMapping.Property("tags", unsafe RestMapping.Property.path(toStored: \Article.tags), [String].self)])

                    nonisolated public func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property {
                        case 0:
                            #sourceLocation(file: "test.swift", line: 2)
                            try writer.write(self.id)
                        case 1:
                            #sourceLocation(file: "test.swift", line: 3)
                            try writer.write(self.publishedAt)
                        case 2:
                            #sourceLocation(file: "test.swift", line: 4)
                            try writer.write(self.tags)
                        #sourceLocation()
                        default:
                            break
                        }
                    }

                    nonisolated public struct Draft: RestMapping.MappingDraft {
                        var id: Int?
                        var publishedAt: Date?
                        var tags: [String]?

                        public init() {
                        }

                        public init(editing subject: Article) {
                            self.id = subject.id
                            self.publishedAt = subject.publishedAt
                            self.tags = subject.tags
                        }

                        public mutating func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                try source.assign(&self.id)
                            case 1:
                                try source.assign(nullable: &self.publishedAt)
                            case 2:
                                try source.assign(collection: &self.tags)
                            default:
                                break
                            }
                        }

                        public consuming func finish() throws(RestMapping.MappingFailure) -> Article {
                            try Article(finishing: consume self)
                        }
                    }
                }

                nonisolated extension Article: RestMapping.Mapped {
                    nonisolated fileprivate init(finishing draft: consuming Draft) throws(RestMapping.MappingFailure) {
                        guard let id = draft.id.take() else {
                            throw RestMapping.MappingFailure.missing(property: 0)
                        }
                        self.id = id
                        self.publishedAt = draft.publishedAt.take()
                        if let tags = draft.tags.take() {
                            self.tags = tags
                        }
                    }
                }
                """#)
    }

    @Test func expandsClassWithEmptyInitializer() {
        expectExpansion(
            of: """
                @Mapped final class Author {
                    var id = 0
                    var name: String?
                }
                """,
            to: #"""
                final class Author {
                    var id = 0
                    var name: String?

                    static let properties: RestMapping.PropertyTable = RestMapping.PropertyTable(Author.self, [
                        RestMapping.Property("id", \Author.id, Int.self),
                        RestMapping.Property("name", \Author.name, String?.self)])

                    func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property {
                        case 0:
                            #sourceLocation(file: "test.swift", line: 2)
                            try writer.write(self.id)
                        case 1:
                            #sourceLocation(file: "test.swift", line: 3)
                            try writer.write(self.name)
                        #sourceLocation()
                        default:
                            break
                        }
                    }

                    nonisolated struct Draft: RestMapping.MappingDraft {
                        var id: Int?
                        var name: String??
                        fileprivate var edited: Author?

                        init() {
                        }

                        init(editing subject: Author) {
                            self.edited = subject
                        }

                        mutating func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                try source.assign(&self.id, current: self.edited.map(\.id), default: 0 as Int)
                            case 1:
                                try source.assign(&self.name, current: self.edited.map(\.name))
                            default:
                                break
                            }
                        }

                        consuming func finish() throws(RestMapping.MappingFailure) -> Author {
                            let subject = self.edited ?? Author()
                            if let id = self.id {
                                subject.id = id
                            }
                            if let name = self.name {
                                subject.name = name
                            }
                            return subject
                        }
                    }
                }

                nonisolated extension Author: RestMapping.Mapped {
                }
                """#)
    }

    @Test func expandsClassWithConstants() {
        expectExpansion(
            of: """
                @Mapped final class Author {
                    let id: Int
                    let alias: String?
                    var subject = ""
                }
                """,
            to: #"""
                final class Author {
                    let id: Int
                    let alias: String?
                    var subject = ""

                    static let properties: RestMapping.PropertyTable = RestMapping.PropertyTable(Author.self, [
                        RestMapping.Property(required: "id", \Author.id, Int.self),
                        RestMapping.Property("alias", \Author.alias, String?.self),
                        RestMapping.Property("subject", \Author.subject, String.self)])

                    func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property {
                        case 0:
                            #sourceLocation(file: "test.swift", line: 2)
                            try writer.write(self.id)
                        case 1:
                            #sourceLocation(file: "test.swift", line: 3)
                            try writer.write(self.alias)
                        case 2:
                            #sourceLocation(file: "test.swift", line: 4)
                            try writer.write(self.subject)
                        #sourceLocation()
                        default:
                            break
                        }
                    }

                    nonisolated struct Draft: RestMapping.MappingDraft {
                        var id: Int?
                        var alias: String??
                        var subject: String?
                        fileprivate var edited: Author?

                        init() {
                        }

                        init(editing subject: Author) {
                            self.edited = subject
                        }

                        mutating func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                try source.assign(&self.id, current: self.edited.map(\.id))
                            case 1:
                                try source.assign(&self.alias, current: self.edited.map(\.alias))
                            case 2:
                                try source.assign(&self.subject, current: self.edited.map(\.subject), default: "" as String)
                            default:
                                break
                            }
                        }

                        consuming func finish() throws(RestMapping.MappingFailure) -> Author {
                            guard let mappedSubject = self.edited else {
                                return try Author(finishing: self)
                            }
                            if let subject = self.subject {
                                mappedSubject.subject = subject
                            }
                            return mappedSubject
                        }
                    }

                    fileprivate init(finishing draft: consuming Draft) throws(RestMapping.MappingFailure) {
                        guard let id = draft.id.take() else {
                            throw RestMapping.MappingFailure.missing(property: 0)
                        }
                        self.id = id
                        self.alias = draft.alias.take() ?? nil
                        if let subject = draft.subject.take() {
                            self.subject = subject
                        }
                    }
                }

                nonisolated extension Author: RestMapping.Mapped {
                }
                """#)
    }

    @Test func expandsRefusedStructureWithoutProperties() {
        expectExpansion(
            of: """
                @Mapped struct Article {
                    let id: Int
                    let number = 1
                }
                """,
            to: """
                struct Article {
                    let id: Int
                    let number = 1

                    nonisolated static let properties: RestMapping.PropertyTable = RestMapping.PropertyTable(Article.self, [])

                    nonisolated func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property {
                        default:
                            break
                        }
                    }

                    nonisolated struct Draft: RestMapping.MappingDraft {
                        init() {
                        }

                        init(editing subject: Article) {
                        }

                        mutating func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            default:
                                break
                            }
                        }

                        consuming func finish() throws(RestMapping.MappingFailure) -> Article {
                            Swift.fatalError()
                        }
                    }
                }

                nonisolated extension Article: RestMapping.Mapped {
                    nonisolated fileprivate init(finishing draft: consuming Draft) throws(RestMapping.MappingFailure) {
                        Swift.fatalError()
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "constant 'number' has an initial value and cannot be mapped",
                    line: 3, column: 9,
                    fixIts: [
                        FixItSpec(message: "change 'let' to 'var'"),
                        FixItSpec(message: "add '@MappedIgnored'"),
                    ])
            ])
    }

    @Test func expandsSubclass() {
        expectExpansion(
            of: """
                @Mapped(keys: .snakeCase) open class Dog: Animal {
                    public let breedName: String
                    @MappedTransform(ValueTransform.tidy) private var tricks = .none as Tricks
                }
                """,
            conforms: true,
            to: #"""
                open class Dog: Animal {
                    public let breedName: String
                    private var tricks = .none as Tricks

                    private static let mappedProperties = RestMapping.PropertyTable(Dog.self, Draft.properties(of: Dog.self))

                    open override class var properties: RestMapping.PropertyTable {
                        mappedProperties
                    }

                    open override func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property - Animal.Draft.propertyCount {
                        case 0:
                            #sourceLocation(file: "test.swift", line: 2)
                            try writer.write(self.breedName)
                        case 1:
                            #sourceLocation(file: "test.swift", line: 3)
                            try writer.write(self.tricks)
                        #sourceLocation()
                        default:
                            try super.write(property, to: &writer)
                        }
                    }

                    nonisolated open class Draft: Animal.Draft {
                        final var breedName: String?
                        fileprivate final var tricks: Tricks?

                        private let edited: Dog?

                        public override init() {
                            self.edited = nil
                            super.init()
                        }

                        public init(editing subject: Dog) {
                            self.edited = subject
                            super.init(editing: subject)
                        }

                        open override class var propertyCount: Swift.Int {
                            super.propertyCount + 2
                        }

                        public static func properties<MappedSubject: Dog>(of subject: MappedSubject.Type) -> [RestMapping.Property] {
                            Animal.Draft.properties(of: MappedSubject.self) + [
                                RestMapping.Property("breedName", \MappedSubject.breedName, String.self, source: "breed_name", isRequired: true),
                                RestMapping.Property("tricks", \MappedSubject.tricks, Tricks.self, transform: ValueTransform.tidy)]
                        }

                        open override func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property - Animal.Draft.propertyCount {
                            case 0:
                                try source.assign(&self.breedName, current: self.edited.map(\.breedName))
                            case 1:
                                try source.assign(&self.tricks, current: self.edited.map(\.tricks), default: .none as Tricks)
                            default:
                                try super.assign(property, from: source)
                            }
                        }

                        public func update(_ subject: Dog) {
                            super.update(subject)
                            if let tricks = self.tricks {
                                subject.tricks = tricks
                            }
                        }

                        open override func finish() throws(RestMapping.MappingFailure) -> Dog {
                            let subject = if let edited = self.edited { edited } else { try Dog(finishing: self) }
                            self.update(subject)
                            return subject
                        }
                    }

                    open override class func makeDraft() -> Draft {
                        Draft()
                    }

                    open override func makeDraft() -> Draft {
                        Draft(editing: self)
                    }

                    public init(finishing draft: Draft) throws(RestMapping.MappingFailure) {
                        guard let breedName = draft.breedName.take() else {
                            throw RestMapping.MappingFailure.missing(property: Animal.Draft.propertyCount)
                        }
                        self.breedName = breedName
                        if let tricks = draft.tricks.take() {
                            self.tricks = tricks
                        }
                        try super.init(finishing: draft)
                    }
                }
                """#)
    }

    @Test func expandsSuperclass() {
        expectExpansion(
            of: """
                @Mapped class Animal<Food> {
                    var name = ""
                }
                """,
            to: #"""
                class Animal<Food> {
                    var name = ""

                    class var properties: RestMapping.PropertyTable {
                        RestMapping.PropertyTable(Animal.self, Draft.properties(of: Animal.self))
                    }

                    func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property {
                        case 0:
                            #sourceLocation(file: "test.swift", line: 2)
                            try writer.write(self.name)
                        #sourceLocation()
                        default:
                            break
                        }
                    }

                    nonisolated class Draft: RestMapping.InheritableDraft {
                        final var name: String?

                        private let edited: Animal?

                        init() {
                            self.edited = nil
                        }

                        init(editing subject: Animal) {
                            self.edited = subject
                        }

                        class var propertyCount: Swift.Int {
                            1
                        }

                        static func properties<MappedSubject: Animal>(of subject: MappedSubject.Type) -> [RestMapping.Property] {
                            [
                                RestMapping.Property("name", \MappedSubject.name, String.self)]
                        }

                        func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                try source.assign(&self.name, current: self.edited.map(\.name), default: "" as String)
                            default:
                                break
                            }
                        }

                        func update(_ subject: Animal) {
                            if let name = self.name {
                                subject.name = name
                            }
                        }

                        func finish() throws(RestMapping.MappingFailure) -> Animal {
                            let subject = if let edited = self.edited { edited } else { try Animal(finishing: self) }
                            self.update(subject)
                            return subject
                        }
                    }

                    class func makeDraft() -> Draft {
                        Draft()
                    }

                    func makeDraft() -> Draft {
                        Draft(editing: self)
                    }

                    class func finish(_ draft: Draft) throws(RestMapping.MappingFailure) -> Self {
                        try draft.finish(as: Self.self)
                    }

                    init(finishing draft: Draft) throws(RestMapping.MappingFailure) {
                        if let name = draft.name.take() {
                            self.name = name
                        }
                    }

                    init() {
                    }
                }

                nonisolated extension Animal: RestMapping.Mapped {
                }
                """#)
    }

    @Test func copiesIgnoredPropertiesFromEditedValue() {
        expectExpansion(
            of: """
                @available(macOS 99, *)
                @Mapped package struct Cell<Value> {
                    @MappedIgnored var isSelected = false
                    @MappedIgnored let origin: String?
                    @MappedIgnored let version = 1
                }
                """,
            to: #"""
                @available(macOS 99, *)
                package struct Cell<Value> {
                    var isSelected = false
                    let origin: String?
                    let version = 1

                    nonisolated package static var properties: RestMapping.PropertyTable {
                        RestMapping.PropertyTable(Cell.self, [])
                    }

                    nonisolated package func write(_ property: Swift.Int, to writer: inout RestMapping.RequestWriter) throws(RestMapping.MappingFailure) {
                        switch property {
                        default:
                            break
                        }
                    }

                    nonisolated package struct Draft: RestMapping.MappingDraft {
                        fileprivate var edited: Cell?

                        package init() {
                        }

                        package init(editing subject: Cell) {
                            self.edited = subject
                        }

                        package mutating func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            default:
                                break
                            }
                        }

                        package consuming func finish() throws(RestMapping.MappingFailure) -> Cell {
                            try Cell(finishing: consume self)
                        }
                    }
                }

                @available(macOS 99, *)
                nonisolated extension Cell: RestMapping.Mapped {
                    nonisolated fileprivate init(finishing draft: consuming Draft) throws(RestMapping.MappingFailure) {
                        if let edited = draft.edited {
                            self.isSelected = edited.isSelected
                        }
                        self.origin = draft.edited?.origin
                    }
                }
                """#)
    }
}
#endif
