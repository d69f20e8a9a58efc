// SPDX-License-Identifier: Apache-2.0

#if Macros
import Testing

@Suite struct MappedExpansionTests {
    @Test func structureIsBuiltFromItsDraft() {
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

                    public static let properties = RestMapping.PropertyTable(Article.self, [
                        RestMapping.Property("id", \Article.id, Int.self, isRequired: true),
                        RestMapping.Property("publishedAt", \Article.publishedAt, Date?.self, source: "publication_date"),
                        RestMapping.Property("tags", \Article.tags, [String].self)])

                    public struct Draft: RestMapping.MappingDraft {
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

                        public mutating func assign(_ property: Swift.Int, from source: RestMapping.MappingSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                self.id = try source.read(Int.self)
                            case 1:
                                self.publishedAt = try source.read(Date?.self)
                            case 2:
                                self.tags = try source.read([String].self)
                            default:
                                break
                            }
                        }

                        public consuming func finish() throws(RestMapping.MappingFailure) -> Article {
                            try Article(finishing: consume self)
                        }
                    }
                }

                extension Article: RestMapping.Mapped {
                    fileprivate init(finishing draft: consuming Draft) throws(RestMapping.MappingFailure) {
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

    @Test func variableClassIsFilledAfterItsEmptyInitializer() {
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

                    static let properties = RestMapping.PropertyTable(Author.self, [
                        RestMapping.Property("id", \Author.id, Int.self),
                        RestMapping.Property("name", \Author.name, String?.self)])

                    struct Draft: RestMapping.MappingDraft {
                        var id: Int?
                        var name: String??
                        fileprivate var edited: Author?

                        init() {
                        }

                        init(editing subject: Author) {
                            self.edited = subject
                        }

                        mutating func assign(_ property: Swift.Int, from source: RestMapping.MappingSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                self.id = try source.read(Int.self)
                            case 1:
                                self.name = try source.read(String?.self)
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

                extension Author: RestMapping.Mapped {
                }
                """#)
    }

    @Test func classWithConstantsGetsADesignatedInitializer() {
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

                    static let properties = RestMapping.PropertyTable(Author.self, [
                        RestMapping.Property("id", \Author.id, Int.self, isRequired: true),
                        RestMapping.Property("alias", \Author.alias, String?.self),
                        RestMapping.Property("subject", \Author.subject, String.self)])

                    struct Draft: RestMapping.MappingDraft {
                        var id: Int?
                        var alias: String??
                        var subject: String?
                        fileprivate var edited: Author?

                        init() {
                        }

                        init(editing subject: Author) {
                            self.edited = subject
                        }

                        mutating func assign(_ property: Swift.Int, from source: RestMapping.MappingSource) throws(RestMapping.MappingFailure) {
                            switch property {
                            case 0:
                                self.id = try source.read(Int.self)
                            case 1:
                                self.alias = try source.read(String?.self)
                            case 2:
                                self.subject = try source.read(String.self)
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

                extension Author: RestMapping.Mapped {
                }
                """#)
    }

    @Test func ignoredPropertiesAreTakenOverFromTheEditedValue() {
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

                    package static var properties: RestMapping.PropertyTable {
                        RestMapping.PropertyTable(Cell.self, [])
                    }

                    package struct Draft: RestMapping.MappingDraft {
                        fileprivate var edited: Cell?

                        package init() {
                        }

                        package init(editing subject: Cell) {
                            self.edited = subject
                        }

                        package mutating func assign(_ property: Swift.Int, from source: RestMapping.MappingSource) throws(RestMapping.MappingFailure) {
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
                extension Cell: RestMapping.Mapped {
                    fileprivate init(finishing draft: consuming Draft) throws(RestMapping.MappingFailure) {
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
