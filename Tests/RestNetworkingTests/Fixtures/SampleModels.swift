// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A model with a conformance as the `@Mapped` macro expands it.
struct Author: Equatable {
    var name: String
}

extension Author: Mapped {
    struct Draft: MappingDraft {
        private var name: String?

        init() {}

        init(editing subject: Author) {
            name = subject.name
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { name = try source.read(String.self) }
        }

        consuming func finish() throws(MappingFailure) -> Author {
            guard let name else { throw .missing(property: 0) }
            return Author(name: name)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.name)
        default: break
        }
    }

    static let properties = PropertyTable(
        Author.self, [Property("name", \Author.name, String.self, isRequired: true)])
}

struct Article: Equatable {
    let id: Int
    var title: String
    var author: Author?
    var tags: [String] = []
}

extension Article: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var title: String?
        private var author: Author?
        private var tags: [String] = []

        init() {}

        init(editing subject: Article) {
            id = subject.id
            title = subject.title
            author = subject.author
            tags = subject.tags
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: title = try source.read(String.self)
            case 2: author = try source.read(Author?.self)
            case 3: tags = try source.read([String].self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Article {
            guard let id else { throw .missing(property: 0) }
            guard let title else { throw .missing(property: 1) }
            return Article(id: id, title: title, author: author, tags: tags)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.id)
        case 1: try writer.write(self.title)
        case 2: try writer.write(self.author)
        case 3: try writer.write(self.tags)
        default: break
        }
    }

    static let properties = PropertyTable(
        Article.self,
        [
            Property("id", \Article.id, Int.self, isRequired: true),
            Property("title", \Article.title, String.self, isRequired: true),
            Property("author", \Article.author, Author?.self),
            Property("tags", \Article.tags, [String].self),
        ])
}

/// A class that is not `Sendable`, to test that new objects are returned as `sending` values.
final class Note {
    var text: String

    init(text: String) {
        self.text = text
    }
}

extension Note: Mapped {
    struct Draft: MappingDraft {
        private var text: String?
        private var subject: Note?

        init() {}

        init(editing subject: Note) {
            self.subject = subject
            text = subject.text
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { text = try source.read(String.self) }
        }

        consuming func finish() throws(MappingFailure) -> Note {
            guard let text else { throw .missing(property: 0) }
            guard let subject else { return Note(text: text) }
            subject.text = text
            return subject
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.text)
        default: break
        }
    }

    static let properties = PropertyTable(
        Note.self, [Property("text", \Note.text, String.self, isRequired: true)])
}

/// The body of an error response.
struct Refusal: Error, Equatable {
    var message: String
    var code: Int?
}

extension Refusal: Mapped {
    struct Draft: MappingDraft {
        private var message: String?
        private var code: Int?

        init() {}

        init(editing subject: Refusal) {
            message = subject.message
            code = subject.code
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: message = try source.read(String.self)
            case 1: code = try source.read(Int?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Refusal {
            guard let message else { throw .missing(property: 0) }
            return Refusal(message: message, code: code)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.message)
        case 1: try writer.write(self.code)
        default: break
        }
    }

    static let properties = PropertyTable(
        Refusal.self,
        [
            Property("message", \Refusal.message, String.self, isRequired: true),
            Property("code", \Refusal.code, Int?.self),
        ])
}
